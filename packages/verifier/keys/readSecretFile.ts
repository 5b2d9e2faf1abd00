import { showPath } from '@vouch/chain/keystore/showPath';
import { readSmallFile, SmallFileFault, type SmallFile } from '../config/readSmallFile.ts';
import { KeyFault } from './keyFault.ts';

/** A keystore has about 500 bytes, a password fewer. */
const maxLength = 65_536;

/**
 * @param what `The keystore` or `The password file`
 * @throws KeyFault with a sentence that names the path
 */
export function readSecretFile(path: string, what: string): SmallFile {
  try {
    return readSmallFile(path, maxLength);
  } catch (error) {
    throw error instanceof SmallFileFault ? new KeyFault(`${what} ${showPath(path)} cannot be read: ${error.message}.`) : error;
  }
}
