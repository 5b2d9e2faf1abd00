import { chmod, chown, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../process/makeFolder.ts';

/**
 * Makes the data folder where it is missing, and closes it to everybody but its owner. The group of the embedded server
 * keeps its right to pass through, where root runs the server as another user.
 * @param folder absolute
 * @throws the system's error where the folder cannot be made
 */
export async function makeDataFolder(folder: string): Promise<void> {
  await makeFolder(dirname(folder), 0o755);
  await makeFolder(folder, 0o700);
  const found = await stat(folder);
  const server = await stat(join(folder, 'postgres', 'data')).catch(() => null);
  await restrict(folder, found.mode, mostFor(found, server));
}

/**
 * Lets a group pass through the data folder without listing it: PostgreSQL, which root runs as a user of its own, must
 * reach its files in it.
 * @param gid null where the owner alone is to enter
 */
export async function letGroupPass(folder: string, gid: number | null): Promise<void> {
  const found = await stat(folder);
  if (gid !== null && found.gid !== gid) await chown(folder, found.uid, gid);
  const wanted = gid === null ? 0o700 : 0o710;
  if ((found.mode & 0o777) !== wanted) await chmod(folder, wanted);
}

interface Owned { uid: number; gid: number }

function mostFor(folder: Owned, server: Owned | null): number {
  if (server === null || server.uid === folder.uid) return 0o700;
  // A server that an earlier release started may still run; the next start of one takes the right from the others.
  return server.gid === folder.gid ? 0o710 : 0o711;
}

/** A folder of another owner, such as a mounted volume, stays as it is; `vouch doctor` names it. */
async function restrict(folder: string, mode: number, most: number): Promise<void> {
  if ((mode & 0o077 & ~most) === 0) return;
  await chmod(folder, mode & most).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'EROFS' && error.code !== 'ENOTSUP') throw error;
  });
}

/** Whether others than its owner, and the group of the embedded server, may enter or list the data folder. */
export async function isOpenToOthers(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  return (mode & 0o067) !== 0;
}
