import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a file of the folder whole or not at all, readable for everybody: nothing in collateral is secret, and it may be fetched by
 * another user than the node's. The unfinished file is hidden, which readers of the folder pass over, and has a name of this process's own.
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
