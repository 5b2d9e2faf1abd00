import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFile, type NodeState } from './nodeState.ts';
import { parseNodeState, StateFault, maxStateLength } from './parseNodeState.ts';

/**
 * Reads the stored state of a node, also while the node runs. Null when no state is stored yet.
 * @throws StateFault with a sentence that names the file
 */
export async function readNodeState(folder: string): Promise<NodeState | null> {
  const path = join(folder, stateFile);
  try {
    const text = await readBounded(path);
    return text === null ? null : parseNodeState(text);
  } catch (error) {
    if (error instanceof StateFault) throw new StateFault(`${path} cannot be used: ${error.message}.`);
    throw new StateFault(`${path} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure'}).`);
  }
}

async function readBounded(path: string): Promise<string | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    if (size > maxStateLength) throw new StateFault(`it has ${size} bytes, more than any state`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
