import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes a text that this user alone may read (mode 0600), whole or not at all: whatever was at the path, with whatever rights,
 * is replaced. Its folder must exist.
 * @throws the system's error where the file cannot be written
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  // A link or file that somebody else left there would decide who may read the text.
  await rm(unfinished, { force: true });
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}
