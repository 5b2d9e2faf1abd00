import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import { isLocked, takeLock } from '@vouch/platform/process/fileLock';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { lockFile } from './nodeState.ts';

/** Thrown if another node uses the folder. The message is a sentence. */
export class FolderBusy extends Error {
  override readonly name = 'FolderBusy';
}

/** Thrown if the folder cannot be created or written. The message is a sentence. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable';
  /** Whether the disk is full, so that the same folder can be used after space was freed. */
  readonly full: boolean;

  constructor(folder: string, error: NodeJS.ErrnoException) {
    const full = isDiskFull(error);
    const { code } = error;
    super(`${folder}, the state folder of the node, cannot be ${full ? `written: its disk is full (${code}). Free some space there` : `used (${code}). Give the user that runs the node write access`}, or set node.data_path to another folder.`);
    this.full = full;
  }
}

/**
 * Creates the folder of a node if needed, and locks it like `lockFolder`.
 * @param other a second folder of the same node, which no program may use either
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
 * Locks a folder for one node until the lock is released or the process ends.
 * @returns a function that releases the lock
 * @throws FolderBusy; LockUnavailable; the system's error when the lock file cannot be written
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
    ? `A node of this process already uses ${folder}.`
    : `Another node (process ${holder ?? 'unknown'}) uses ${folder}: stop that node first. A key needs only one node; a second node only stands by.`);
}

/** Id of the process that uses a folder, as numbered in its own container; null when no process does. */
export async function nodeProcess(folder: string): Promise<number | null> {
  const path = join(folder, lockFile);
  return await isLocked(path).catch(() => false) ? writtenProcess(path) : null;
}

/** The holder of the lock writes its process id; until then the file has the id of an earlier holder. */
async function writtenProcess(path: string): Promise<number | null> {
  const [first = ''] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  return /^\d{1,10}$/.test(first) ? Number(first) : null;
}
