import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFile, type NodeState } from './nodeState.ts';

/**
 * Writes the state so that a power cut leaves either the old or the new state: writes and flushes a new file, renames it, and
 * flushes the folder.
 */
export async function writeNodeState(folder: string, state: NodeState): Promise<void> {
  await writeWhole(folder, stateFile, JSON.stringify(state));
}

/** Writes a file of the folder atomically. */
export async function writeWhole(folder: string, name: string, text: string | Uint8Array): Promise<void> {
  const path = join(folder, name);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await flushFolder(folder);
}

async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; its file system orders the writes by itself.
  const opened = await open(folder, 'r').catch(() => null);
  if (opened === null) return;
  try {
    await opened.sync();
  } catch {
    // Some network file systems refuse to flush a folder; the file itself is flushed.
  } finally {
    await opened.close();
  }
}
