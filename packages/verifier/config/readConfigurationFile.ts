import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ConfigurationFault } from './configurationFault.ts';
import { fileLengthMax } from './parseYaml.ts';

export interface ConfigurationText {
  text: string;
  /** Whether other users of the machine may read it. */
  othersMayRead: boolean;
}

/** What an operator can do about the system's refusals. */
const refusals: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file. Name the configuration with -conf <path>; examples/verifier/verifier.yaml is one to copy.',
  EACCES: 'this user may not read it. Give the user that runs the node the right to (chown, chmod 600).',
  EISDIR: 'it is a folder; name the file in it.',
};

/**
 * Reads a configuration file, UTF-8.
 * @throws ConfigurationFault with a sentence where it cannot be read, is too long or is no text
 */
export function readConfigurationFile(path: string): ConfigurationText {
  const refuse = (sentence: string): never => {
    throw new ConfigurationFault([{ where: path, sentence }]);
  };
  let bytes: Buffer;
  let mode: number;
  try {
    const file = openSync(path, 'r');
    try {
      mode = fstatSync(file).mode;
      if (fstatSync(file).isDirectory()) return refuse(refusals['EISDIR'] ?? '');
      bytes = Buffer.alloc(fileLengthMax + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null);
      bytes = bytes.subarray(0, length);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof ConfigurationFault) throw error;
    const { code = 'an unknown fault' } = error as NodeJS.ErrnoException;
    return refuse(refusals[code] ?? `it cannot be read (${code}).`);
  }
  if (bytes.length > fileLengthMax) return refuse(`it is longer than ${fileLengthMax / 1_024} KB; a configuration has about 2 KB, so this is something else.`);
  try {
    // The mark that some editors put at the beginning is dropped here.
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), othersMayRead: process.platform !== 'win32' && (mode & 0o077) !== 0 };
  } catch {
    return refuse('it is not UTF-8 text; save it again in that encoding.');
  }
}
