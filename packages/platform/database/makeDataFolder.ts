import { chmod, chown, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../process/makeFolder.ts';

/**
 * Creates the data folder if missing, and removes the access of other users. If root runs the embedded server as another user, that user's group
 * keeps the right to enter the folder.
 * @param folder absolute path
 * @throws the system's error if the folder cannot be created
 */
export async function makeDataFolder(folder: string): Promise<void> {
  await makeFolder(dirname(folder), 0o755);
  await makeFolder(folder, 0o700);
  const found = await stat(folder);
  const server = await stat(join(folder, 'postgres', 'data')).catch(() => null);
  await restrict(folder, found.mode, mostFor(found, server));
}

/**
 * Lets a group enter the data folder without listing it. If root runs PostgreSQL as a separate user, that user must reach its files in the folder.
 * @param gid group id; null if only the owner may enter
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
  // A server of an earlier release may still be running as another group, so others keep the right to enter. The next start of a server removes this
  // right.
  return server.gid === folder.gid ? 0o710 : 0o711;
}

/** Restricts the folder's mode. A folder of another owner, such as a mounted volume, stays unchanged; `vouch doctor` reports it. */
async function restrict(folder: string, mode: number, most: number): Promise<void> {
  if ((mode & 0o077 & ~most) === 0) return;
  await chmod(folder, mode & most).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'EROFS' && error.code !== 'ENOTSUP') throw error;
  });
}

/**
 * Returns whether users other than the owner and the embedded server's group may list or enter the data folder, or whether that group may list it.
 */
export async function isOpenToOthers(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  return (mode & 0o067) !== 0;
}
