import { secp256k1 } from '@noble/curves/secp256k1';
import { publicKeyToAddress } from 'viem/accounts';
import type { Hex } from '../messages/operation.ts';
import { SignerFault } from './signerFault.ts';

/** r and s of an ECDSA signature without recovery id, as most services return them. */
export interface BareSignature {
  r: bigint;
  s: bigint;
}

export interface Signature extends BareSignature {
  /** Parity of the y coordinate of the point whose x coordinate is r. */
  yParity: 0 | 1;
}

type CurveSignature = InstanceType<typeof secp256k1.Signature>;

/**
 * Parses an ECDSA signature in DER (SEQUENCE of two INTEGERs), as KMS services return it.
 * @param name name of the service for the error message
 * @throws SignerFault `bad-answer`
 */
export function parseDerSignature(der: Uint8Array, name: string): BareSignature {
  try {
    const { r, s } = secp256k1.Signature.fromDER(der);
    return { r, s };
  } catch (error) {
    throw new SignerFault('bad-answer', `${name} did not answer with an ECDSA signature in DER (${der.length} bytes).`, error);
  }
}

/**
 * Normalizes s to the lower half (the chain rejects the upper half, EIP-2) and finds the recovery id that gives the address.
 * @param digest the 32 bytes that were signed
 * @throws SignerFault `bad-answer` if no recovery id gives the address: another key signed, or another digest was signed
 */
export function completeSignature({ r, s }: BareSignature, digest: Uint8Array, address: Hex, name: string): Signature {
  const low = toCurveSignature(r, s)?.normalizeS();
  for (const yParity of [0, 1] as const) {
    if (low !== undefined && recover(low, yParity, digest) === address) return { r: low.r, s: low.s, yParity };
  }
  throw new SignerFault('bad-answer', `${name} returned a signature that is not of ${address}. Nothing was sent. Check which key the configuration names.`);
}

function toCurveSignature(r: bigint, s: bigint): CurveSignature | undefined {
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
