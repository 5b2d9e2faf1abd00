import { chown, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that one user alone may read (mode 0600), whole or not at all: whatever was at the path, with whatever rights,
 * is replaced. Its folder must exist. Two calls for one path must not run at once.
 * @param owner user and group that get the file; the process's own unless given
 * @throws the system's error where the file cannot be written
 */
export async function writePrivateFile(path: string, content: string | Uint8Array, owner?: { uid: number; gid: number }): Promise<void> {
  const unfinished = `${path}.unfinished`;
  // A link or file that somebody else left there would decide who may read the content.
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

/** Until the folder is on the disk as well, a loss of power may take the new name back. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
