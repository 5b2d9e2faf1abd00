import { secp256k1 } from '@noble/curves/secp256k1';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import type { Hex } from '../messages/operation.ts';
import { createSigner } from './createSigner.ts';
import type { Signer } from './signer.ts';
import { SignerFault } from './signerFault.ts';

/**
 * Creates a signer with a private key in the memory of this process.
 * @param privateKey 32 bytes
 * @param name source of the key, for messages
 * @throws SignerFault `wrong-key` if the bytes are not a valid private key
 */
export function createLocalSigner(privateKey: Hex, name = 'a private key'): Signer {
  const address = addressOfKey(privateKey);
  if (address === null) throw new SignerFault('wrong-key', `${name} is not a private key: expected 32 bytes with a value from 1 to the order of the curve.`);
  const key = privateKey.slice(2);
  return createSigner({ address, name, sign: async ({ digest }) => secp256k1.sign(digest, key) });
}
