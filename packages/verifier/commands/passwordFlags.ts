import { ConfigurationFault } from '../config/configurationFault.ts';
import type { PasswordSource } from '../config/nodeConfiguration.ts';
import { textOf, type Call } from './command.ts';

/** Where the commands about keystores have their password from. @throws ConfigurationFault where two flags give it */
export function passwordSource(call: Call): PasswordSource {
  const [password, path] = [textOf(call, '-keystore-password'), textOf(call, '-password-file')];
  if (password !== undefined && path !== undefined) {
    throw new ConfigurationFault([{ where: '-keystore-password', sentence: 'it cannot stand together with -password-file: both give the password. Leave one of the two out.' }]);
  }
  if (password !== undefined) return { kind: 'given', password, from: '-keystore-password' };
  return path === undefined ? { kind: 'ask' } : { kind: 'file', path };
}
