import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Text of a file that an operator wrote, and whether other users of the machine can read the file. */
export interface SmallFile {
  text: string;
  othersMayRead: boolean;
}

/** Thrown if a file cannot be read. The message is the end of a sentence that names the file, usually with a fix. */
export class SmallFileFault extends Error {
  override readonly name = 'SmallFileFault';
}

/** Explanations and fixes for system error codes. */
const refusals: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist; the path is relative to the working folder',
  EACCES: 'this user has no read permission; make the user that runs the node the owner (chown, chmod 600)',
  EISDIR: 'the path is a folder; name a file in the folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
};

/**
 * Reads a UTF-8 file of at most `maxLength` bytes. Reading stops after `maxLength` + 1 bytes, so a device or an endless pipe cannot
 * block the program.
 * @throws SmallFileFault
 */
export function readSmallFile(path: string, maxLength: number): SmallFile {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(maxLength + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null);
      if (length > maxLength) throw new SmallFileFault(`the file exceeds ${maxLength / 1_024} KB, so it is not the expected file`);
      // TextDecoder removes the byte order mark that some editors write.
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
      return { text, othersMayRead: process.platform !== 'win32' && (fstatSync(file).mode & 0o077) !== 0 };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof SmallFileFault) throw error;
    if (error instanceof TypeError && !('code' in error && error.code !== 'ERR_ENCODING_INVALID_ENCODED_DATA')) throw new SmallFileFault('the file is not UTF-8 text');
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new SmallFileFault(refusals[code] ?? (code === 'ERR_INVALID_ARG_VALUE' ? 'the name is not a valid path' : code));
  }
}
