import { secp256k1 } from '@noble/curves/secp256k1';
import { publicKeyToAddress } from 'viem/accounts';
import type { Hex } from '../messages/operation.ts';
import { SignerFault } from './signerFault.ts';

/** The two numbers of an ECDSA signature, as most services return them: without saying which of two keys made it. */
export interface BareSignature {
  r: bigint;
  s: bigint;
}

export interface Signature extends BareSignature {
  /** Which of the two points with this r was meant. */
  yParity: 0 | 1;
}

type CurveSignature = InstanceType<typeof secp256k1.Signature>;

/**
 * Reads an ECDSA signature in DER (SEQUENCE of two INTEGERs), as KMS services return it.
 * @throws SignerFault `bad-answer`
 */
export function readDerSignature(der: Uint8Array, name: string): BareSignature {
  try {
    const { r, s } = secp256k1.Signature.fromDER(der);
    return { r, s };
  } catch (error) {
    throw new SignerFault('bad-answer', `${name} did not answer with an ECDSA signature in DER (${der.length} bytes).`, error);
  }
}

/**
 * Makes s low (EIP-2: the other half of signatures is refused on the chain) and finds by trial which recovery id leads to the address.
 * @param digest the 32 bytes that were signed
 * @throws SignerFault `bad-answer` where no recovery id does: the signature was made by another key or for another digest
 */
export function completeSignature({ r, s }: BareSignature, digest: Uint8Array, address: Hex, name: string): Signature {
  const low = readNumbers(r, s)?.normalizeS();
  for (const yParity of [0, 1] as const) {
    if (low !== undefined && recover(low, yParity, digest) === address) return { r: low.r, s: low.s, yParity };
  }
  throw new SignerFault('bad-answer', `${name} answered with a signature that is not of ${address}. Nothing was sent. Check which key the configuration names.`);
}

function readNumbers(r: bigint, s: bigint): CurveSignature | undefined {
  try {
    return new secp256k1.Signature(r, s);
  } catch {
    return undefined;
  }
}

function recover(signature: CurveSignature, yParity: 0 | 1, digest: Uint8Array): Hex | null {
  try {
    const publicKey = signature.addRecoveryBit(yParity).recoverPublicKey(digest).toHex(false);
    return publicKeyToAddress(`0x${publicKey}`).toLowerCase() as Hex;
  } catch {
    return null;
  }
}
