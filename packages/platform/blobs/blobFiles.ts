import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Puts a blob that a removal took aside back under its name, unless a blob has that name again. */
export async function restore(aside: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await linkIfAbsent(aside, path).catch(falseIfMissing);
  await syncPath(dirname(path));
  await rm(aside, { force: true });
}

/** Gives a file a second name. @returns false where that name is taken */
export async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Renames a file. @returns false where there is none */
export async function renameIfPresent(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(() => true, falseIfMissing);
}

/** Size and time of a file, null where there is none. */
export async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Makes a file's content or a folder's names durable; without the latter a crash can lose a file that was itself synced. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For `catch`: false where the file is missing; other errors are thrown. */
export function falseIfMissing(error: unknown): false {
  if (isMissing(error)) return false;
  throw error;
}

/** Whether an error says that a file is missing. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Code of a system error, e.g. ENOENT. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
