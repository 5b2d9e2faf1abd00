import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing; one that is there is left as it is. Node's own recursive mkdir never
 * ends where the folder above exists and the system still answers ENOENT, as it does in /proc.
 * @param path absolute
 * @param mode of every folder that is made
 * @throws the system's error where a folder cannot be made, or where something else has its name
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
    // Before EEXIST a system may say that it is read-only (EROFS) or not ours (EACCES): what counts is whether it is there.
    const there = await stat(path).catch(() => null);
    if (there?.isDirectory() !== true) throw error;
  }
}
