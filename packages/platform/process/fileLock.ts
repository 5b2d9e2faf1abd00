import { spawn } from 'node:child_process';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { systemInterfaces } from './systemInterfaces.ts';

// Node has no flock(2). The lock belongs to the open file description, so a child process that inherits the descriptor can take the lock for this
// process. The kernel releases the lock when this process dies. util-linux and busybox provide `flock`; macOS has perl.
const perlLock = 'my ($fd, $mode) = @ARGV; open(my $f, "<&=", $fd) or exit 66; ' +
  'exit 0 if flock($f, $mode | LOCK_NB); exit($!{EWOULDBLOCK} ? 1 : 71)';

type Mode = 'shared' | 'exclusive';

/** Node closes a file that nothing refers to, which would release the lock of a caller that holds it until the process ends. */
const heldHandles = new Set<FileHandle>();

/** A held lock. The kernel also releases it when the process ends. */
export interface FileLock {
  readonly handle: FileHandle;
  release(): Promise<void>;
}

/** Locks do not work on this machine or file system. The message is a sentence for the operator. */
export class LockUnavailable extends Error {
  override readonly name = 'LockUnavailable';
}

/** `isLocked` locks the file for a few milliseconds, so `takeLock` tries this often, with pauses of `triesApartMs`. */
const tries = 4;
const triesApartMs = 50;

/**
 * Locks a file until the lock is released or this process dies. Lock files are never removed, because a lock on a removed file excludes nobody. Two
 * locks in one process also exclude each other.
 * @param path file; created if missing, readable only for this user
 * @returns null if another holder has the lock
 * @throws the system's error if the file cannot be opened for writing; LockUnavailable
 */
export async function takeLock(path: string, timers = systemInterfaces.timers): Promise<FileLock | null> {
  for (let tried = 1; ; tried++) {
    const lock = await tryLock(path, 'exclusive');
    if (lock !== null || tried === tries) return lock;
    await timers.sleep(triesApartMs);
  }
}

/**
 * Tries once to lock a file.
 * @param file whether a missing file is created or an error. To lock an existing file in mode `shared`, read access is sufficient
 * @returns null at once if another holder's lock conflicts
 * @throws the system's error if the file cannot be opened; LockUnavailable
 */
export async function tryLock(path: string, mode: Mode, file: 'create' | 'existing' = 'create'): Promise<FileLock | null> {
  const flags = file === 'create' ? 'a+' : mode === 'shared' ? 'r' : 'r+';
  for (;;) {
    const handle = await open(path, flags, 0o600);
    try {
      if (!(await lockHandle(handle, mode, path))) {
        await handle.close();
        return null;
      }
      if (await isStillAt(handle, path)) return hold(handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
    // The file was removed since it was opened, alone or with its folder. Other processes that open the path now lock a different file, so this lock
    // is useless.
    await handle.close();
  }
}

function hold(handle: FileHandle): FileLock {
  heldHandles.add(handle);
  const release = async (): Promise<void> => {
    heldHandles.delete(handle);
    await handle.close();
  };
  return { handle, release };
}

/**
 * Returns whether a process, including this one, holds an exclusive lock on the file. Read access is sufficient.
 * @throws the system's error if the file exists and cannot be read; LockUnavailable
 */
export async function isLocked(path: string): Promise<boolean> {
  try {
    const lock = await tryLock(path, 'shared', 'existing');
    await lock?.release();
    return lock === null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** @returns whether the lock was taken; false if another holder's lock conflicts */
async function lockHandle(handle: FileHandle, mode: Mode, path: string): Promise<boolean> {
  const status = await run(['flock', '-n', mode === 'shared' ? '-s' : '-x', '3'], handle)
    ?? await run(['perl', '-MFcntl=:flock', '-e', perlLock, '3', mode === 'shared' ? '1' : '2'], handle);
  if (status === 0 || status === 1) return status === 0;
  throw new LockUnavailable(status === null
    ? `The file ${path} cannot be locked: neither the program flock (Debian: util-linux) nor perl is in PATH. Install one of them.`
    : `The file ${path} cannot be locked (${status}): use a folder on a file system that supports locks.`);
}

/** @returns exit code or signal; null if the program does not exist */
function run([program = '', ...words]: readonly string[], { fd }: FileHandle): Promise<number | string | null> {
  return new Promise((resolve, reject) => {
    spawn(program, words, { stdio: ['ignore', 'ignore', 'ignore', fd] })
      .on('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(null) : reject(error)))
      .on('exit', (code, signal) => resolve(code ?? signal));
  });
}

async function isStillAt(handle: FileHandle, path: string): Promise<boolean> {
  const [held, there] = await Promise.all([handle.stat(), stat(path).catch(() => null)]);
  return there !== null && there.ino === held.ino && there.dev === held.dev;
}
