import { KeystoreFault } from '@vouch/chain/keystore/keystoreFault';
import { parseKeystore } from '@vouch/chain/keystore/parseKeystore';
import type { Hex } from '@vouch/chain/messages/operation';
import type { KeySource } from '../config/nodeConfiguration.ts';
import { KeyFault } from './keyFault.ts';
import { openKey } from './openKey.ts';
import type { Warn } from './readPassword.ts';
import { readSecretFile } from './readSecretFile.ts';
import type { SecretInput } from './secretInput.ts';

/**
 * Returns the Ethereum address of the node's key, without asking for a password if the keystore contains its address.
 * @returns address in lower case; `opened`: whether the key itself was opened
 * @throws KeyFault, Interrupted
 */
export async function nodeAddress(key: KeySource, secrets: SecretInput, warn: Warn): Promise<{ address: Hex; opened: boolean }> {
  const told = key.kind === 'keystore' && key.password.kind === 'ask' ? addressTold(key.path, warn) : null;
  if (told !== null) return { address: told, opened: false };
  const { address } = await openKey(key, secrets, warn);
  return { address: lowerAddress(address), opened: true };
}

/** Reads the Ethereum address in a keystore without opening it; null if the keystore has none. */
function addressTold(path: string, warn: Warn): Hex | null {
  const { text, othersMayRead } = readSecretFile(path, 'The keystore');
  try {
    const { address } = parseKeystore(text);
    if (address !== null && othersMayRead) warn(`Other users of this machine can read the keystore: chmod 600 ${path}`);
    return address === null ? null : lowerAddress(address);
  } catch (error) {
    throw error instanceof KeystoreFault ? new KeyFault(`${path}: ${error.message}`) : error;
  }
}

/** Converts an Ethereum address to lower case, the form for comparing and storing. */
export function lowerAddress(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
