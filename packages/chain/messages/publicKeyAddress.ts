import { keccak256 } from './keccak256.ts';
import type { Hex } from './operation.ts';

/** Computes the Ethereum address of an uncompressed public key (65 bytes): the last 20 bytes of keccak256 of both coordinates. */
export function publicKeyAddress(key: Uint8Array): Hex {
  const hash = keccak256(key.subarray(1));
  return `0x${Buffer.from(hash.buffer, hash.byteOffset + 12, 20).toString('hex')}`;
}
