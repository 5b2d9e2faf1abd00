import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDiskFull } from '../process/diskFull.ts';
import { LockUnavailable, takeLock, type FileLock } from '../process/fileLock.ts';
import { DatabaseFault } from './databaseFault.ts';
import { makeDataFolder } from './makeDataFolder.ts';

/** Another process holds the data folder. */
class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/**
 * Makes this process the only holder of a data folder, until it releases the lock or dies.
 * @throws FolderInUse that names the folder and the process that holds it
 * @throws DatabaseFault if the folder cannot be written or locked
 */
export async function lockFolder(folder: string): Promise<FileLock> {
  const path = join(folder, 'serve.lock');
  await makeDataFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw folderFault(folder, error);
  });
  const lock = await takeLock(path).catch((error: Error) => {
    throw explainFailure(folder, error);
  });
  if (lock === null) {
    const holder = (await readFile(path, 'utf8')).trim() || 'another process';
    throw new FolderInUse(`The data folder ${folder} is in use by ${holder}: stop that process first, ` +
      'or use another folder (VOUCH_DATA).');
  }
  await lock.handle.truncate(0);
  await lock.handle.write(`process ${process.pid} on ${hostname()}\n`);
  return lock;
}

/** Converts a failure to write or lock in a data folder to a message for the operator. Other failures are returned unchanged. */
export function explainFailure(folder: string, error: Error): Error {
  if (error instanceof LockUnavailable) return new DatabaseFault(error.message, { cause: error });
  const refused = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
  return refused ? folderFault(folder, error) : error;
}

/** Returns the error for a data folder that cannot be created or written. */
export function folderFault(folder: string, error: NodeJS.ErrnoException): DatabaseFault {
  if (error.code === 'EEXIST' || error.code === 'ENOTDIR') {
    return new DatabaseFault(`The data folder ${folder} cannot be written (${error.code}): a file exists at this path or at the path of a parent folder. ` +
      'Choose another folder with VOUCH_DATA.', { cause: error });
  }
  return new DatabaseFault(`The data folder ${folder} cannot be written (${error.code ?? error.message}): ` +
    `${isDiskFull(error) ? 'free space on its disk' : 'give this user write access'}, or choose another folder with VOUCH_DATA.`, { cause: error });
}
