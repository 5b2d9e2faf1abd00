import { chown, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

interface WriteOptions {
  /** Permissions of the file, whatever those of an existing file were. Default: 0600, readable for its user only. */
  mode?: number;
  /** User and group of the file. Default: those of this process. */
  owner?: { uid: number; gid: number };
  /** Temporary file, in the folder of the file. Default: `<path>.unfinished`. Two writes at the same time need two names. */
  unfinished?: string;
}

/**
 * Writes a file so that a crash or power failure leaves either the old or the new file: writes and syncs a temporary file, renames it, and
 * syncs the folder. The folder must exist. Two calls for one path must not run at the same time, except with different temporary files.
 * @throws the system's error if the file cannot be written; the old file is then unchanged
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
  const { mode = 0o600, owner, unfinished = `${path}.unfinished` } = options;
  // A link or file that another user left at this path would decide who may read the content.
  await removeFile(unfinished);
  try {
    const file = await open(unfinished, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    if (owner !== undefined) await chown(unfinished, owner.uid, owner.gid);
    await rename(unfinished, path);
  } catch (error) {
    await removeFile(unfinished).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Removes a file that may be absent. Unlike `rm`, `unlink` never removes a folder that another process creates at this moment. */
async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

/**
 * Syncs the entries of a folder. Without this sync, a power failure can revert a rename. Some network file systems cannot sync a folder, and
 * a folder may be writable but not readable; both are ignored, because the content of the file is already synced.
 * @throws the system's error if the disk fails
 */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!unsyncable.has(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

const unsyncable: ReadonlySet<string> = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM']);
