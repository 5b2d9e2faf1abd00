import { lstatSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { sealKeystore } from '@vouch/chain/keystore/keystore';
import type { Hex } from '@vouch/chain/messages/operation';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import type { Random } from '@vouch/platform/process/systemInterfaces';
import { syncFolder } from '@vouch/platform/process/writeFileAtomically';
import { KeyFault } from './keyFault.ts';
import { openKeystoreText } from './openKey.ts';
import { readSecretFile } from './readSecretFile.ts';

/** Checks that the path is free, before the user is asked for a password. @throws KeyFault if the path exists */
export function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw existing(path);
}

/**
 * Writes a keystore with mode 0600, syncs it to disk, and opens it again from there, because an unreadable keystore means a lost key.
 * @returns the Ethereum address, lower case
 * @throws KeyFault if the file exists or cannot be written
 */
export async function writeKeystore(path: string, privateKey: Hex, password: string, random: Random): Promise<Hex> {
  await writeNewFile(path, await sealKeystore(privateKey, password, random));
  const opened = await openKeystoreText(readSecretFile(path, 'The keystore').text, path, password);
  if (opened.privateKey !== privateKey) throw new KeyFault(`The keystore ${path} does not contain the written data; the disk may be failing. Do not use this keystore.`);
  return opened.address;
}

/**
 * Writes a keystore's text into a new file and syncs it to disk. A failure leaves no file.
 * @throws KeyFault if the file exists or cannot be written
 */
export async function writeNewFile(path: string, text: string): Promise<void> {
  try {
    // wx: created by this call or not at all, even if another program creates the file at the same time.
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } catch (error) {
      // A partial keystore would prevent the next attempt, because existing files are never overwritten.
      await unlink(path).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
    // The keystore is complete by now and is read back, so a fault of the folder is no reason to report a failure.
    await syncFolder(dirname(resolve(path))).catch(() => {});
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw existing(path);
    throw new KeyFault(`The keystore ${path} cannot be written: ${isDiskFull(error) ? `its disk is full (${code}); free space first` : reasons[code] ?? code}.`);
  }
}

const reasons: Readonly<Record<string, string>> = { ENOENT: 'the folder does not exist; create it first', EACCES: 'this user has no write permission' };

function existing(path: string): KeyFault {
  return new KeyFault(`${path} already exists and is not overwritten, because an overwritten key is lost. Name another path with -keystore-path.`);
}
