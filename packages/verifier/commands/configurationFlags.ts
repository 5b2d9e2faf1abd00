import type { ConfigurationFlags } from '../config/loadConfiguration.ts';
import { textOf, type Call } from './command.ts';
import type { FlagName } from './flags.ts';

/** Flags of every command that reads the full configuration. */
export const configurationFlagNames: readonly FlagName[] = [
  '-conf', '-keystore-path', '-password-file', '-keystore-password', '-private-key', '-reward-address', '-commission-rate',
];

export function configurationFlags(call: Call): ConfigurationFlags {
  return Object.fromEntries(configurationFlagNames.flatMap((name) => {
    const text = textOf(call, name);
    return text === undefined ? [] : [[name, text]];
  }));
}
