import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import type { LoadedConfiguration } from '../config/loadConfiguration.ts';
import { KeyFault } from '../keys/keyFault.ts';
import { nodeAddress } from '../keys/nodeAddress.ts';
import type { SecretInput } from '../keys/secretInput.ts';
import { found, ok, type NodeFinding } from './findings.ts';

/**
 * Finds the node's Ethereum address and checks that the key is available. Asks for the password only if the address is not known otherwise.
 * @returns `address` null if the address cannot be determined
 */
export async function examineKey({ key, missingKey }: LoadedConfiguration, secrets: SecretInput): Promise<{ address: Hex | null; findings: NodeFinding[] }> {
  if (key === null) return { address: null, findings: [found('key', 'key-missing', missingKey.sentence, 'Use the same flags as for the node.')] };
  const findings: NodeFinding[] = [];
  try {
    const warn = (sentence: string): void => void findings.push(found('key', 'key-readable', sentence, 'Remove the permissions of other users. If other users may have read the key, use a new key.'));
    const { address, opened } = await nodeAddress(key, secrets, warn);
    const where = key.kind === 'clear' ? `unencrypted, from ${key.from}` : `in the keystore ${key.path}${opened ? '' : '; the password was not tried'}`;
    return { address, findings: [...findings, ok('key', `${showAddress(address)}, ${where}`)] };
  } catch (error) {
    if (!(error instanceof KeyFault)) throw error;
    return { address: null, findings: [...findings, found('key', 'key-unusable', error.message, 'Fix the stated cause; verifier keystore inspect checks only the keystore.')] };
  }
}
