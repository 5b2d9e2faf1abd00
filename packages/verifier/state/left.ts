import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Created by `verifier exit`: a running node does not enter again until it is restarted. */
const leftFile = 'left';

/** Keeps a running node from entering again. Does nothing if no node ever ran in the folder. */
export async function noteLeft(folder: string): Promise<void> {
  await writeFile(join(folder, leftFile), '', { mode: 0o600 }).catch(() => {});
}

/** Whether `verifier exit` was used since the node program started. */
export function hasLeft(folder: string): Promise<boolean> {
  return stat(join(folder, leftFile)).then(() => true, () => false);
}

/** Lets a node enter again after `verifier exit`. */
export async function forgetLeft(folder: string): Promise<void> {
  await rm(join(folder, leftFile), { force: true });
}
