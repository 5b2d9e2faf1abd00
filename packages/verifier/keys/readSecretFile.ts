import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { KeyFault } from './keyFault.ts';

/** Content of a small file, and whether other users of the machine may read it. */
export interface SecretFile {
  text: string;
  othersMayRead: boolean;
}

const lengthMax = 65_536;

/** What an operator can do about the system's refusals. */
const refusals: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file. Check the path; it counts from the working folder',
  EACCES: 'this user may not read it. Give it to the user that runs the node (chown, chmod 600)',
  EISDIR: 'it is a folder; name the file in it',
  ENOTDIR: 'a part of its path is a file, not a folder',
};

/**
 * @param what `The keystore` or `The password file`
 * @throws KeyFault with a sentence that names the path
 */
export function readSecretFile(path: string, what: string): SecretFile {
  try {
    const file = openSync(path, 'r');
    try {
      const { mode } = fstatSync(file);
      const bytes = Buffer.alloc(lengthMax + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null);
      if (length > lengthMax) throw new KeyFault(`${what} ${path} is longer than ${lengthMax / 1_024} KB: it is something else.`);
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes.subarray(0, length));
      return { text, othersMayRead: process.platform !== 'win32' && (mode & 0o077) !== 0 };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof KeyFault) throw error;
    if (error instanceof TypeError) throw new KeyFault(`${what} ${path} is not UTF-8 text.`);
    const { code = 'an unknown fault' } = error as NodeJS.ErrnoException;
    throw new KeyFault(`${what} ${path} cannot be read: ${refusals[code] ?? code}.`);
  }
}
