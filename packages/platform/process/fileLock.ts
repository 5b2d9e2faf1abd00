import { spawn } from 'node:child_process';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { realDoors } from './doors.ts';

// Node has no flock(2). The lock belongs to the open file description, so a child that inherits the descriptor can
// take it for us; the kernel releases it when our process dies, however it dies. util-linux and busybox have `flock`,
// macOS has perl.
const perlLock = 'my ($fd, $mode) = @ARGV; open(my $f, "<&=", $fd) or exit 66; ' +
  'exit 0 if flock($f, $mode | LOCK_NB); exit($!{EWOULDBLOCK} ? 1 : 71)';

type Mode = 'shared' | 'exclusive';

/** A held lock. The kernel releases it too when the process ends. */
export interface FileLock {
  readonly handle: FileHandle;
  release(): Promise<void>;
}

/** Nothing can be locked on this machine or in this file system. The message is a sentence. */
export class LockUnavailable extends Error {
  override readonly name = 'LockUnavailable';
}

/** `isLocked` locks the file for a few milliseconds: whoever takes a lock for long tries this often, so far apart. */
const tries = 4;
const triesApartMs = 50;

/**
 * Takes a lock on a file for as long as this process lives or until it is released. A lock file is never removed: a lock on a
 * removed file keeps nobody out. Two locks of one process exclude each other too.
 * @param path an absent file is created, readable for this user alone
 * @returns null where somebody else holds it
 * @throws the system's error where the file cannot be opened for writing; LockUnavailable
 */
export async function takeLock(path: string, timers = realDoors.timers): Promise<FileLock | null> {
  for (let tried = 1; ; tried++) {
    const lock = await tryLock(path, 'exclusive');
    if (lock !== null || tried === tries) return lock;
    await timers.sleep(triesApartMs);
  }
}

/**
 * Tries once to lock a file.
 * @param file whether an absent file is created or a fault; to lock an existing one shared, the right to read it is enough
 * @returns null at once where somebody else holds it in the way
 * @throws the system's error where the file cannot be opened; LockUnavailable
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
      if (await isStillAt(handle, path)) return { handle, release: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
    // Removed by hand or with its folder since it was opened: whoever opens the path now locks another file.
    await handle.close();
  }
}

/**
 * Whether somebody holds an exclusive lock on the file, this process included; the right to read it is enough.
 * @throws the system's error where the file is there and cannot be read; LockUnavailable
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

/** @returns whether the lock was taken; false where somebody else holds it in the way */
async function lockHandle(handle: FileHandle, mode: Mode, path: string): Promise<boolean> {
  const status = await run(['flock', '-n', mode === 'shared' ? '-s' : '-x', '3'], handle)
    ?? await run(['perl', '-MFcntl=:flock', '-e', perlLock, '3', mode === 'shared' ? '1' : '2'], handle);
  if (status === 0 || status === 1) return status === 0;
  throw new LockUnavailable(status === null
    ? `The file ${path} cannot be locked: neither the program flock (Debian: util-linux) nor perl is in PATH. Install one of them.`
    : `The file ${path} cannot be locked (${status}): use a folder on a file system with locks.`);
}

/** @returns exit code or signal; null where there is no such program */
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
