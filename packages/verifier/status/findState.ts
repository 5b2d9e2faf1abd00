import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import { ConfigurationFault } from '../config/configurationFault.ts';
import type { LoadedConfiguration } from '../config/loadConfiguration.ts';
import { nodeAddress } from '../keys/nodeAddress.ts';
import type { SecretInput } from '../keys/secretInput.ts';
import { stateFolder } from '../state/nodeState.ts';

/** A node of this machine, and where it keeps its state. */
export interface FoundState {
  node: Hex;
  folder: string;
}

/**
 * The node that the configuration means: that of its key, or, where the key comes by a flag that is not given here, the only
 * one that has a folder for this contract.
 * @throws ConfigurationFault where that is none or several; KeyFault, Interrupted
 */
export async function findState({ configuration, key, missingKey }: LoadedConfiguration, secrets: SecretInput, warn: (sentence: string) => void): Promise<FoundState> {
  const { chain: { chainId }, contract: { service }, node: { dataPath } } = configuration;
  const at = (node: Hex): FoundState => ({ node, folder: stateFolder(dataPath, chainId, service, node) });
  if (key !== null) return at((await nodeAddress(key, secrets, warn)).address);
  const names = await readdir(dataPath).catch(() => []);
  const prefix = basename(stateFolder(dataPath, chainId, service, '0x'));
  const nodes = names.filter((name) => name.startsWith(prefix) && /^[0-9a-f]{40}$/.test(name.slice(prefix.length)));
  if (nodes.length === 1) return { node: `0x${nodes[0]?.slice(prefix.length)}`, folder: join(dataPath, nodes[0] ?? '') };
  if (nodes.length === 0) throw new ConfigurationFault([missingKey]);
  throw new ConfigurationFault([{ ...missingKey, sentence: `${missingKey.sentence} ${nodes.length} nodes have kept a state in ${dataPath}, so which one is meant cannot be known.` }]);
}
