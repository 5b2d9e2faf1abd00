import { checksumAddress } from 'viem';
import type { Hex } from './operation.ts';

/** Formats an Ethereum address for display, with the EIP-55 checksum. */
export function showAddress(address: Hex): string {
  return checksumAddress(address);
}
