import { privateKeyToAddress } from 'viem/accounts';
import type { Hex } from '../messages/operation.ts';

/**
 * @param privateKey 32 bytes
 * @returns the address, lower case; null where the bytes are no key: zero, or not below the order of the curve
 */
export function addressOfKey(privateKey: Hex): Hex | null {
  if (privateKey.length !== 66) return null;
  try {
    return privateKeyToAddress(privateKey).toLowerCase() as Hex;
  } catch {
    return null;
  }
}
