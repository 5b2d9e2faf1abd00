import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Text of a file that a person made, and whether other users of the machine may read it. */
export interface SmallFile {
  text: string;
  othersMayRead: boolean;
}

/** Why a file could not be read, as the end of a sentence that names it; with what to do. */
export class SmallFileFault extends Error {
  override readonly name = 'SmallFileFault';
}

/** What an operator can do about the system's refusals. */
const refusals: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; the path counts from the working folder',
  EACCES: 'this user may not read it; give it to the user that runs the node (chown, chmod 600)',
  EISDIR: 'it is a folder; name the file in it',
  ENOTDIR: 'a part of its path is a file, not a folder',
};

/**
 * Reads UTF-8 text of at most `maxLength` bytes; more is never read, so that a device or an endless pipe ends too.
 * @throws SmallFileFault
 */
export function readSmallFile(path: string, maxLength: number): SmallFile {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(maxLength + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null);
      if (length > maxLength) throw new SmallFileFault(`it is longer than ${maxLength / 1_024} KB, so it is something else`);
      // The mark that some editors put at the beginning is dropped here.
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
      return { text, othersMayRead: process.platform !== 'win32' && (fstatSync(file).mode & 0o077) !== 0 };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof SmallFileFault) throw error;
    if (error instanceof TypeError && !('code' in error && error.code !== 'ERR_ENCODING_INVALID_ENCODED_DATA')) throw new SmallFileFault('it is not UTF-8 text');
    const { code = 'an unknown fault' } = error as NodeJS.ErrnoException;
    throw new SmallFileFault(refusals[code] ?? (code === 'ERR_INVALID_ARG_VALUE' ? 'its name cannot be a path' : code));
  }
}
