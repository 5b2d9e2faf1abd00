import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDiskFull } from '../process/diskFull.ts';
import { makeFolder } from '../process/makeFolder.ts';
import { DatabaseFault } from './databaseFault.ts';

// Node has no flock(2). The lock belongs to the open file description, so a child that inherits the descriptor can
// take it for us; the kernel releases it when our process dies, however it dies. util-linux and busybox have `flock`,
// macOS has perl.
const perlLock = 'my ($fd, $mode) = @ARGV; open(my $f, "+<&=", $fd) or exit 66; ' +
  'exit(flock($f, $mode | LOCK_NB) ? 0 : 1)';

/** Whether `flock` is on the PATH; otherwise perl stands in for it. */
export const hasFlock = spawnSync('flock', ['--help'], { stdio: 'ignore' }).error === undefined;

/** A held lock. The kernel releases it too when the process ends. */
export interface FileLock {
  readonly handle: FileHandle;
  release(): Promise<void>;
}

/**
 * Takes a lock on a file.
 * @param file whether an absent file is created or a fault
 * @returns null at once where another process holds it in the way
 * @throws DatabaseFault where the file cannot be written or the file system has no locks
 */
export async function tryLock(
  path: string, mode: 'shared' | 'exclusive', file: 'create' | 'existing' = 'create',
): Promise<FileLock | null> {
  const handle = await open(path, file === 'create' ? 'a+' : 'r+').catch((error: NodeJS.ErrnoException) => {
    throw new DatabaseFault(`The file ${path} cannot be opened for writing (${error.code}): give this user the right ` +
      'to write there, or choose another data folder.', { cause: error });
  });
  const command = hasFlock
    ? ['flock', '-n', mode === 'shared' ? '-s' : '-x', '3']
    : ['perl', '-MFcntl=:flock', '-e', perlLock, '3', mode === 'shared' ? '1' : '2'];
  const status = await new Promise<number | null>((resolve, reject) => {
    spawn(command[0] as string, command.slice(1), { stdio: ['ignore', 'ignore', 'ignore', handle.fd] })
      .on('error', reject).on('exit', resolve);
  }).catch((error: Error) => error);
  if (status === 0) return { handle, release: () => handle.close() };
  await handle.close();
  if (status === 1) return null;
  throw new DatabaseFault(`The file ${path} cannot be locked (${String(status)}): the data folder needs a file system ` +
    'with locks, and the program `flock` (Debian: util-linux) or `perl`.');
}

/**
 * Makes this process the only holder of a data folder until it releases it or dies.
 * @throws DatabaseFault naming the folder and the process that holds it
 */
export async function lockFolder(folder: string): Promise<FileLock> {
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw folderFault(folder, error);
  });
  const path = join(folder, 'serve.lock');
  const lock = await tryLock(path, 'exclusive');
  if (lock === null) {
    const holder = readFileSync(path, 'utf8').trim() || 'another process';
    throw new DatabaseFault(`The data folder ${folder} is in use by ${holder}: stop that one first, ` +
      'or give this one a folder of its own (VOUCH_DATA).');
  }
  await lock.handle.truncate(0);
  await lock.handle.write(`process ${process.pid} on ${hostname()}\n`);
  return lock;
}

/** The sentence for a folder that cannot be made or written. */
export function folderFault(folder: string, error: NodeJS.ErrnoException): DatabaseFault {
  return new DatabaseFault(`The data folder ${folder} cannot be written (${error.code ?? error.message}): ` +
    `${isDiskFull(error) ? 'free space on its disk' : 'give this user the right to write there'}, or choose another folder with VOUCH_DATA.`, { cause: error });
}
