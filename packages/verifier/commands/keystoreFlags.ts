import { findClash } from '../config/chooseKey.ts';
import { ConfigurationFault } from '../config/configurationFault.ts';
import type { PasswordSource } from '../config/nodeConfiguration.ts';
import { textOf, type Call } from './command.ts';

/** Flags of every keystore command. */
export const keystoreFlags = ['-keystore-path', '-password-file', '-keystore-password'] as const;

/** Returns the keystore's path and the source of its password. @throws ConfigurationFault if two flags give the password */
export function parseKeystoreFlags(call: Call): { path: string; passwordFrom: PasswordSource } {
  // All keystore commands require this flag.
  const path = textOf(call, '-keystore-path') ?? '';
  const [password, file] = [textOf(call, '-keystore-password'), textOf(call, '-password-file')];
  if (password === undefined) return { path, passwordFrom: file === undefined ? { kind: 'ask' } : { kind: 'file', path: file } };
  const clash = file === undefined ? null : findClash({ '-keystore-password': password, '-password-file': file });
  if (clash !== null) throw new ConfigurationFault([clash]);
  return { path, passwordFrom: { kind: 'given', password, from: '-keystore-password' } };
}
