import type { PasswordSource } from '../config/nodeConfiguration.ts';
import { KeyFault } from './keyFault.ts';
import { readSecretFile } from './readSecretFile.ts';
import type { SecretInput } from './secretInput.ts';

/** Prints a warning for the operator. */
export type Warn = (sentence: string) => void;

/**
 * Reads the password of an existing keystore.
 * @throws KeyFault, Interrupted
 */
export async function readPassword(source: PasswordSource, input: SecretInput, warn: Warn): Promise<string> {
  if (source.kind === 'given') return source.password;
  if (source.kind === 'file') return passwordInFile(source.path, warn);
  return input.ask('Password of the keystore', 'the password');
}

/**
 * Reads the password for a new keystore; a terminal asks twice.
 * @throws KeyFault if the two inputs differ or the password is empty
 */
export async function readNewPassword(source: PasswordSource, input: SecretInput, warn: Warn): Promise<string> {
  const password = source.kind === 'ask' ? await input.ask('Password for the new keystore', 'the password') : await readPassword(source, input, warn);
  if (password === '') throw new KeyFault('An empty password does not protect the key. Choose another password.');
  if (source.kind === 'ask' && input.isTerminal) {
    const again = await input.ask('Repeat the password', 'the password');
    if (again !== password) throw new KeyFault('The two passwords differ; no keystore was written. Try again.');
  }
  if ([...password].length < 8) warn('The password has fewer than 8 characters: anyone who gets the file can try all such passwords.');
  return password;
}

/** Returns the first line of the file, because editors add a line break that is not part of the password. */
function passwordInFile(path: string, warn: Warn): string {
  const { text, othersMayRead } = readSecretFile(path, 'The password file');
  const [line = '', ...rest] = text.split(/\r?\n/);
  if (line === '') throw new KeyFault(`The first line of the password file ${path} is empty.`);
  if (rest.some((other) => other !== '')) warn(`${path} has several lines; only the first line is the password.`);
  if (othersMayRead) warn(`Other users of this machine can read the password file: chmod 600 ${path}`);
  return line;
}
