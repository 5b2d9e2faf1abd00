import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './writeFileAtomically.ts';

/**
 * Creates a folder and its missing parents, with names that survive a power failure. An existing folder stays unchanged. Node's recursive mkdir is
 * not used, because it never ends if the parent exists and the system still answers ENOENT, as in /proc.
 * @param path absolute path
 * @param mode mode of each created folder
 * @throws the system's error if a folder cannot be created, or something else has its name
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // For an existing folder, some systems report EROFS (read-only) or EACCES (no access) instead of EEXIST, so the code checks whether the folder
    // exists.
    const there = await stat(path).catch(() => null);
    if (there?.isDirectory() !== true) throw error;
    return;
  }
  await syncFolder(dirname(path));
}
