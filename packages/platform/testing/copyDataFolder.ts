import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Copies the data folder of a stopped embedded PostgreSQL, with owners and modes. A copy takes 1/10 of the processor time of `initdb`. The installed
 * programs, which no test changes, become a link to the original's.
 */
export async function copyDataFolder(from: string, to: string): Promise<void> {
  await copyFolder(from, to);
  await copyFolder(join(from, 'postgres'), join(to, 'postgres'));
  const names = await readdir(join(from, 'postgres'));
  const programs = names.filter((name) => name.startsWith('native-'));
  for (const name of programs) await symlink(join(from, 'postgres', name), join(to, 'postgres', name));
  const copied = names.filter((name) => !programs.includes(name)).map((name) => join(from, 'postgres', name));
  await promisify(execFile)('cp', ['-a', ...copied, join(to, 'postgres')]);
}

async function copyFolder(from: string, to: string): Promise<void> {
  const { uid, gid, mode } = await stat(from);
  await mkdir(to, { recursive: true });
  await chown(to, uid, gid);
  await chmod(to, mode);
}
