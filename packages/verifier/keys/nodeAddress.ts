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
 * The address of the node's key, without asking for a password where a keystore names its address.
 * @returns lower case; `opened`: whether the key itself was had
 * @throws KeyFault, Interrupted
 */
export async function nodeAddress(key: KeySource, secrets: SecretInput, warn: Warn): Promise<{ address: Hex; opened: boolean }> {
  const told = key.kind === 'keystore' && key.password.kind === 'ask' ? addressTold(key.path, warn) : null;
  if (told !== null) return { address: told, opened: false };
  const { address } = await openKey(key, secrets, warn);
  return { address: lowerAddress(address), opened: true };
}

/** What a keystore says of itself; null where it does not name its address. */
function addressTold(path: string, warn: Warn): Hex | null {
  const { text, othersMayRead } = readSecretFile(path, 'The keystore');
  try {
    const { address } = parseKeystore(text);
    if (address !== null && othersMayRead) warn(`Other users of this machine may read the keystore: chmod 600 ${path}`);
    return address === null ? null : lowerAddress(address);
  } catch (error) {
    throw error instanceof KeystoreFault ? new KeyFault(`${path}: ${error.message}`) : error;
  }
}

/** The form in which addresses are compared and kept. */
export function lowerAddress(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
