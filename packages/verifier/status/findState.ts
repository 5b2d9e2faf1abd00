import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import { ConfigurationFault } from '../config/configurationFault.ts';
import type { LoadedConfiguration } from '../config/loadConfiguration.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { nodeAddress } from '../keys/nodeAddress.ts';
import type { SecretInput } from '../keys/secretInput.ts';
import { nodeFolder } from '../state/nodeFolder.ts';
import { stateFolder } from '../state/nodeState.ts';

/** A node of this machine with the folder of its state. */
export interface FoundState {
  node: Hex;
  folder: string;
}

/**
 * Finds the node of a configuration by its key. If the key comes from a flag that is not given here, the node is the only one with a
 * folder for this contract.
 * @throws ConfigurationFault if there is no such node or more than one; KeyFault, Interrupted
 */
export async function findState({ configuration, key, missingKey }: LoadedConfiguration, secrets: SecretInput, warn: (sentence: string) => void): Promise<FoundState> {
  const { dataPath } = configuration.node;
  const [known, ...others] = key === null ? await keptNodes(configuration) : [(await nodeAddress(key, secrets, warn)).address];
  if (known === undefined) throw new ConfigurationFault([missingKey]);
  if (others.length > 0) throw new ConfigurationFault([{ ...missingKey, sentence: `${missingKey.sentence} ${dataPath} has the states of ${others.length + 1} nodes, so the command cannot choose one.` }]);
  const { folder, note } = nodeFolder(configuration, known);
  if (note !== null) warn(note);
  return { node: known, folder };
}

/** Lists the nodes that have stored a state for the contract, in the configured or the former data folder. */
export async function keptNodes({ chain: { chainId }, contract: { service }, node: { dataPath, formerDataPath } }: NodeConfiguration): Promise<Hex[]> {
  const prefix = basename(stateFolder(dataPath, chainId, service, '0x'));
  const names = (await Promise.all([dataPath, ...(formerDataPath === null ? [] : [formerDataPath])].map((path) => readdir(path).catch(() => [])))).flat();
  const nodes = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)).filter((digits) => /^[0-9a-f]{40}$/.test(digits));
  return [...new Set(nodes)].map((digits): Hex => `0x${digits}`);
}
