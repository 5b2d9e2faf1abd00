import { showPath } from '@vouch/chain/keystore/showPath';
import { readSmallFile, SmallFileFault, type SmallFile } from '../config/readSmallFile.ts';
import { KeyFault } from './keyFault.ts';

/** Maximum size in bytes. A keystore has about 500 bytes. */
const maxLength = 65_536;

/**
 * Reads a keystore or password file.
 * @param what `The keystore` or `The password file`, for the message
 * @throws KeyFault with a sentence that names the path
 */
export function readSecretFile(path: string, what: string): SmallFile {
  try {
    return readSmallFile(path, maxLength);
  } catch (error) {
    throw error instanceof SmallFileFault ? new KeyFault(`${what} ${showPath(path)} cannot be read: ${error.message}.`) : error;
  }
}
