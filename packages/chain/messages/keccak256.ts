import { keccak256 as keccak } from 'viem';

/** Keccak-256 of bytes, 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak(bytes, 'bytes');
}
