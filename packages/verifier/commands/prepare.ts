import { showAddress } from '@vouch/chain/messages/showAddress';
import { ConfigurationFault } from '../config/configurationFault.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { openKey } from '../keys/openKey.ts';
import { exitCodes, type Call, type Command } from './command.ts';
import { configurationFlagNames, configurationFlags } from './configurationFlags.ts';
import { makeKeystore } from './keystoreNew.ts';

/** The program without a command: -generate-keystore, or everything up to the moment when a node would begin. */
export const prepare: Command = {
  name: '',
  summary: 'read the configuration and open the key',
  flags: [...configurationFlagNames, '-generate-keystore'],
  run: (call) => (call.given.has('-generate-keystore') ? generate(call) : openAll(call)),
};

async function generate(call: Call): Promise<number> {
  const others = (['-private-key', '-reward-address', '-commission-rate', '-conf'] as const).filter((flag) => call.given.has(flag));
  if (others.length > 0) refuse(`it cannot stand together with ${others.join(' and ')}: it makes a key and ends, before anything else is read.`);
  if (!call.given.has('-keystore-path')) refuse('it needs -keystore-path <path>: where the keystore is to be written.');
  return makeKeystore(call);
}

async function openAll(call: Call): Promise<number> {
  const { configuration, key, missingKey, warnings } = loadConfiguration(configurationFlags(call));
  for (const { where, sentence } of warnings) call.warn(`${where}: ${sentence}`);
  if (key === null) throw new ConfigurationFault([missingKey]);
  const { address } = await openKey(key, call.secrets, call.warn);
  call.output.write(`The configuration is in order, and the key opens: node ${showAddress(address)} on ${configuration.chain.chainName}.\n`);
  call.errors.write('verifier: this version ends here. It does not take part in verification yet; nothing was signed or sent.\n');
  return exitCodes.unforeseen;
}

function refuse(sentence: string): never {
  throw new ConfigurationFault([{ where: '-generate-keystore', sentence }]);
}
