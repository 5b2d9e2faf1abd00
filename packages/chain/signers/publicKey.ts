import { createPublicKey } from 'node:crypto';
import { publicKeyToAddress } from 'viem/accounts';
import type { Hex } from '../messages/operation.ts';
import { SignerFault } from './signerFault.ts';

/**
 * Computes the Ethereum address of a public key in SubjectPublicKeyInfo form, as DER (bytes) or PEM (text).
 * @returns lower case
 * @throws SignerFault `wrong-key` if the curve is not secp256k1, `bad-answer` if the value is not a public key
 */
export function addressOfPublicKey(given: Uint8Array | string, name: string): Hex {
  const key = parseKey(given, name);
  const curve = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'an unknown kind';
  if (curve !== 'secp256k1') throw wrongCurve(name, curve);
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return publicKeyToAddress(`0x${point.toString('hex')}`).toLowerCase() as Hex;
}

function parseKey(given: Uint8Array | string, name: string) {
  try {
    return createPublicKey(typeof given === 'string' ? given : { key: Buffer.from(given), format: 'der', type: 'spki' });
  } catch (error) {
    throw new SignerFault('bad-answer', `${name} returned no public key.`, error);
  }
}

/** Builds the fault for a key of another curve. @param found the key's curve or type */
export function wrongCurve(name: string, found: string): SignerFault {
  return new SignerFault('wrong-key', `${name} is a key of ${found}; the chain requires ECDSA with secp256k1. The curve of a key cannot be changed: create another key.`);
}
