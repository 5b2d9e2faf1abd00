import { checksumAddress } from 'viem';
import type { Hex } from './operation.ts';

/** An address as people compare it: with the letters' case as a checksum (EIP-55). */
export function showAddress(address: Hex): string {
  return checksumAddress(address);
}
