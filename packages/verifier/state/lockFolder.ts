import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import { isLocked, takeLock } from '@vouch/platform/process/fileLock';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { lockFile } from './nodeState.ts';

/** Another node works in the folder. The message is a sentence. */
export class FolderBusy extends Error {
  override readonly name = 'FolderBusy';
}

/** The folder cannot be made, or nothing can be written there. The message is a sentence. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable';
  /** Whether it may be mended without another folder. */
  readonly full: boolean;

  constructor(folder: string, error: NodeJS.ErrnoException) {
    const full = isDiskFull(error);
    const { code } = error;
    super(`${folder}, where the node keeps what it knows, cannot be ${full ? `written: its disk is full (${code}). Free some space there` : `used (${code}). Let the user that runs the node write there`}, or set node.data_path to another folder.`);
    this.full = full;
  }
}

/**
 * Makes the folder of a node, where it is not there, and takes it as `lockFolder` does.
 * @param other a second folder of the same node, in which no program may work either
 * @throws FolderUnusable, FolderBusy, LockUnavailable
 */
export async function takeFolder(folder: string, other: string | null = null): Promise<() => Promise<void>> {
  if (other !== null && await nodeProcess(other) !== null) throw await busy(other);
  try {
    await makeFolder(folder, 0o700);
    return await lockFolder(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') throw new FolderUnusable(folder, error as NodeJS.ErrnoException);
    throw error;
  }
}

/**
 * Takes a folder for one node, until it is given back or the process ends.
 * @returns what gives it back
 * @throws FolderBusy; LockUnavailable; the system's error where the lock file cannot be written
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, lockFile);
  const lock = await takeLock(path);
  if (lock === null) throw await busy(folder);
  try {
    await lock.handle.truncate(0);
    await lock.handle.write(`${process.pid}\n`);
  } catch (error) {
    await lock.release();
    throw error;
  }
  return lock.release;
}

async function busy(folder: string): Promise<FolderBusy> {
  const holder = await writtenProcess(join(folder, lockFile));
  return new FolderBusy(holder === process.pid
    ? `A node of this process works in ${folder} already.`
    : `Another node (process ${holder ?? 'unknown'}) works in ${folder}: stop it first. One key needs one node; a second one only stands by.`);
}

/** The process that works in a folder, by the number it has in its own container; null where none does. */
export async function nodeProcess(folder: string): Promise<number | null> {
  const path = join(folder, lockFile);
  return await isLocked(path).catch(() => false) ? writtenProcess(path) : null;
}

/** Whoever holds the lock writes its number; the number of an earlier holder stays until then. */
async function writtenProcess(path: string): Promise<number | null> {
  const [first = ''] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  return /^\d{1,10}$/.test(first) ? Number(first) : null;
}
