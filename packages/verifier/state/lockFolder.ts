import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '@vouch/platform/process/diskFull';
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

/** Folders that this process holds: many nodes may run in one. */
const held = new Set<string>();

/**
 * Makes the folder of a node, where it is not there, and takes it as `lockFolder` does.
 * @throws FolderUnusable, FolderBusy
 */
export async function takeFolder(folder: string): Promise<() => Promise<void>> {
  try {
    await makeFolder(folder, 0o700);
    return await lockFolder(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') throw new FolderUnusable(folder, error as NodeJS.ErrnoException);
    throw error;
  }
}

/**
 * Takes a folder for one node. A lock whose process is gone is taken over, also where another process has its number now.
 * @returns what gives it back
 * @throws FolderBusy
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, lockFile);
  if (held.has(path)) throw new FolderBusy(`A node of this process works in ${folder} already.`);
  held.add(path);
  try {
    for (let tries = 0; ; tries += 1) {
      if (await create(path)) break;
      // Its own number is that of a predecessor, since this process does not hold the folder: in containers every start has number 1.
      const holder = await holderOf(path, false);
      if (holder !== null || tries === 3) {
        throw new FolderBusy(`Another node (process ${holder ?? 'unknown'}) works in ${folder}: stop it first. One key needs one node; a second one only stands by.`);
      }
      await rm(path, { force: true });
    }
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    await rm(path, { force: true });
    held.delete(path);
  };
}

/** The process that works in a folder; null where none does. */
export async function nodeProcess(folder: string): Promise<number | null> {
  const path = join(folder, lockFile);
  return holderOf(path, held.has(path));
}

async function create(path: string): Promise<boolean> {
  const birth = await birthOf(process.pid);
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  try {
    await file?.writeFile(`${process.pid}\n${birth === null ? '' : `${birth}\n`}`);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file?.close();
  }
  return file !== null;
}

async function holderOf(path: string, ownHolds: boolean): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [first = '', birth = ''] = text.split('\n');
  const pid = /^\d{1,10}$/.test(first) ? Number(first) : null;
  if (pid === null) return null;
  if (pid === process.pid) return ownHolds ? pid : null;
  try {
    process.kill(pid, 0);
    return await isBornAt(pid, birth) ? pid : null;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' && await isBornAt(pid, birth) ? pid : null;
  }
}

/** Numbers of processes are given again, after a power cut often the same ones. */
async function isBornAt(pid: number, birth: string): Promise<boolean> {
  const now = birth === '' ? null : await birthOf(pid);
  return now === null || now === birth;
}

/** When a process began: run of the system, and ticks since that began. Null where the system does not tell (see proc(5)). */
async function birthOf(pid: number): Promise<string | null> {
  try {
    const [run, stat] = [await readFile('/proc/sys/kernel/random/boot_id', 'utf8'), await readFile(`/proc/${pid}/stat`, 'latin1')];
    // The 22nd field; the second, a name in brackets, may hold anything.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return ticks === undefined ? null : `${run.trim()} ${ticks}`;
  } catch {
    return null;
  }
}
