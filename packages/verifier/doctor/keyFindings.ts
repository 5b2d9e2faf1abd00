import { KeystoreFault } from '@vouch/chain/keystore/keystoreFault';
import { parseKeystore } from '@vouch/chain/keystore/parseKeystore';
import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import type { LoadedConfiguration } from '../config/loadConfiguration.ts';
import type { KeySource } from '../config/nodeConfiguration.ts';
import { KeyFault } from '../keys/keyFault.ts';
import { openKey } from '../keys/openKey.ts';
import { readSecretFile } from '../keys/readSecretFile.ts';
import type { SecretInput } from '../keys/secretInput.ts';
import { found, ok, type NodeFinding } from './findings.ts';

/**
 * Which node it is, and whether the key can be had. The password is asked for only where nothing else tells the address.
 * @returns a null address where that cannot be known
 */
export async function examineKey({ key, missingKey }: LoadedConfiguration, secrets: SecretInput): Promise<{ address: Hex | null; findings: NodeFinding[] }> {
  if (key === null) return { address: null, findings: [found('key', 'key-missing', missingKey.sentence, 'Give the same flags as when the node is started.')] };
  const findings: NodeFinding[] = [];
  try {
    const { address, tried } = await addressOf(key, secrets, (sentence) => findings.push(found('key', 'key-readable', sentence, 'Take the rights away from others, and where others may have read it, use a new key.')));
    const where = key.kind === 'clear' ? `in clear, from ${key.from}` : `in the keystore ${key.path}${tried ? '' : ', whose password was not tried'}`;
    return { address, findings: [...findings, ok('key', `${showAddress(address)}, ${where}`)] };
  } catch (error) {
    if (!(error instanceof KeyFault)) throw error;
    return { address: null, findings: [...findings, found('key', 'key-unusable', error.message, 'Mend what the sentence names; verifier keystore inspect looks at a keystore alone.')] };
  }
}

async function addressOf(key: KeySource, secrets: SecretInput, warn: (sentence: string) => void): Promise<{ address: Hex; tried: boolean }> {
  const told = key.kind === 'keystore' && key.password.kind === 'ask' ? addressTold(key.path, warn) : null;
  if (told !== null) return { address: told, tried: false };
  const { address } = await openKey(key, secrets, warn);
  return { address: address.toLowerCase() as Hex, tried: true };
}

/** What a keystore says of itself; null where it does not name its address. */
function addressTold(path: string, warn: (sentence: string) => void): Hex | null {
  const { text, othersMayRead } = readSecretFile(path, 'The keystore');
  try {
    const { address } = parseKeystore(text);
    if (address !== null && othersMayRead) warn(`Other users of this machine may read the keystore: chmod 600 ${path}`);
    return address === null ? null : address.toLowerCase() as Hex;
  } catch (error) {
    throw error instanceof KeystoreFault ? new KeyFault(`${path}: ${error.message}`) : error;
  }
}
