import { chown, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only one user may read (mode 0600), atomically: an existing file is replaced, whatever its mode. The folder must exist. Two
 * calls for one path must not run at the same time.
 * @param owner user and group of the file. Default: those of this process
 * @throws the system's error if the file cannot be written
 */
export async function writePrivateFile(path: string, content: string | Uint8Array, owner?: { uid: number; gid: number }): Promise<void> {
  const unfinished = `${path}.unfinished`;
  // A link or file that another user left at this path would decide who may read the content.
  await rm(unfinished, { force: true });
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  if (owner !== undefined) await chown(unfinished, owner.uid, owner.gid);
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

/** Syncs the folder. Without this sync, a power failure can revert the rename. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
