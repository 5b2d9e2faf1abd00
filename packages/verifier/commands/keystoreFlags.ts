import { findClash } from '../config/chooseKey.ts';
import { ConfigurationFault } from '../config/configurationFault.ts';
import type { PasswordSource } from '../config/nodeConfiguration.ts';
import { textOf, type Call } from './command.ts';

/** The flags of every command about a keystore. */
export const keystoreFlags = ['-keystore-path', '-password-file', '-keystore-password'] as const;

/** Which keystore a command is about, and where its password comes from. @throws ConfigurationFault where two flags give it */
export function parseKeystoreFlags(call: Call): { path: string; passwordFrom: PasswordSource } {
  // The commands require it.
  const path = textOf(call, '-keystore-path') ?? '';
  const [password, file] = [textOf(call, '-keystore-password'), textOf(call, '-password-file')];
  if (password === undefined) return { path, passwordFrom: file === undefined ? { kind: 'ask' } : { kind: 'file', path: file } };
  const clash = file === undefined ? null : findClash({ '-keystore-password': password, '-password-file': file });
  if (clash !== null) throw new ConfigurationFault([clash]);
  return { path, passwordFrom: { kind: 'given', password, from: '-keystore-password' } };
}
