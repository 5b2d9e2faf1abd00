import { addressOfKey } from '@vouch/chain/keystore/addressOfKey';
import { openKeystore, type OpenedKeystore } from '@vouch/chain/keystore/keystore';
import { KeystoreFault } from '@vouch/chain/keystore/keystoreFault';
import type { Hex } from '@vouch/chain/messages/operation';
import type { KeySource } from '../config/nodeConfiguration.ts';
import { KeyFault } from './keyFault.ts';
import { readPassword, type Warn } from './readPassword.ts';
import { readSecretFile } from './readSecretFile.ts';
import type { SecretInput } from './secretInput.ts';

/**
 * Opens the node's key from the configured source.
 * @throws KeyFault with a sentence; Interrupted
 */
export async function openKey(source: KeySource, input: SecretInput, warn: Warn): Promise<OpenedKeystore> {
  if (source.kind === 'clear') return withAddress(source.privateKey, source.from);
  const { text, othersMayRead } = readSecretFile(source.path, 'The keystore');
  if (othersMayRead) warn(`Other users of this machine can read the keystore: chmod 600 ${source.path}`);
  return openKeystoreText(text, source.path, await readPassword(source.password, input, warn));
}

/** Opens the text of a keystore. @throws KeyFault that names the file */
export async function openKeystoreText(text: string, path: string, password: string): Promise<OpenedKeystore> {
  try {
    return await openKeystore(text, password);
  } catch (error) {
    throw error instanceof KeystoreFault ? new KeyFault(`${path}: ${error.message}`) : error;
  }
}

/**
 * Adds the Ethereum address to a private key.
 * @param from source of the key, for the message
 * @throws KeyFault if the 32 bytes are not a valid key: zero, or not below the order of the curve
 */
export function withAddress(privateKey: Hex, from: string): OpenedKeystore {
  const address = addressOfKey(privateKey);
  if (address === null) throw new KeyFault(`The value of ${from} is not a private key: it must be above zero and below the order of the curve.`);
  return { privateKey, address };
}
