import type { Hex } from '@vouch/chain/messages/operation';
import { ConfigurationFault } from '../config/configurationFault.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { lowerAddress } from '../keys/nodeAddress.ts';
import { openKey } from '../keys/openKey.ts';
import type { Call } from './command.ts';
import { configurationFlags } from './configurationFlags.ts';

/** Inputs of a command that signs. */
interface Configured {
  configuration: NodeConfiguration;
  privateKey: Hex;
  /** Ethereum address of the key, lower case. */
  node: Hex;
}

/**
 * Reads the configuration, prints its warnings, and opens the key.
 * @throws ConfigurationFault, also if no key is configured; KeyFault; Interrupted
 */
export async function openConfigured(call: Call): Promise<Configured> {
  const { configuration, key, missingKey, warnings } = loadConfiguration(configurationFlags(call));
  for (const { where, sentence } of warnings) call.warn(`${where}: ${sentence}`);
  if (key === null) throw new ConfigurationFault([missingKey]);
  const { privateKey, address } = await openKey(key, call.secrets, call.warn);
  return { configuration, privateKey, node: lowerAddress(address) };
}
