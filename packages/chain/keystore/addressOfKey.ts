import { privateKeyToAddress } from 'viem/accounts';
import type { Hex } from '../messages/operation.ts';

/**
 * Computes the Ethereum address of a private key.
 * @param privateKey 32 bytes
 * @returns lower case; null if the bytes are not a valid key: zero, or not below the order of the curve
 */
export function addressOfKey(privateKey: Hex): Hex | null {
  if (privateKey.length !== 66) return null;
  try {
    return privateKeyToAddress(privateKey).toLowerCase() as Hex;
  } catch {
    return null;
  }
}
