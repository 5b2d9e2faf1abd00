import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Moves a blob that a removal set aside back to its name, unless a new blob has that name already. */
export async function restore(aside: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await linkIfAbsent(aside, path).catch(falseIfMissing);
  await syncPath(dirname(path));
  await rm(aside, { force: true });
}

/** Gives a file a second name (hard link). @returns false if that name is taken */
export async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Renames a file. @returns false if the file does not exist */
export async function renameIfPresent(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(() => true, falseIfMissing);
}

/** Returns the size in bytes and the modification time in ms of a file, or null if the file does not exist. */
export async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Syncs a file's content or a folder's entries to the disk. Without the folder's sync, a crash can lose a file whose content was synced. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Handler for `catch`: returns false if the file is missing, and rethrows any other error. */
export function falseIfMissing(error: unknown): false {
  if (isMissing(error)) return false;
  throw error;
}

/** Returns whether an error means that a file is missing (ENOENT). */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Returns the code of a system error, e.g. ENOENT. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
