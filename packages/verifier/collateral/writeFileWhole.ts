import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a file of the folder atomically. The file is readable for all users: collateral is not secret, and another user than the node's
 * may fetch it. The temporary file is hidden, so readers of the folder ignore it, and its name contains the process id.
 * @throws the system's error
 */
export async function writeFileWhole(folder: string, name: string, content: string | Uint8Array): Promise<void> {
  const unfinished = join(folder, `.${name}.${process.pid}.unfinished`);
  await rm(unfinished, { force: true });
  try {
    const file = await open(unfinished, 'wx', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, join(folder, name));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}
