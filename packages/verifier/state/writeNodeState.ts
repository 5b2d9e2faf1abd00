import { join } from 'node:path';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import { stateFile, type NodeState } from './nodeState.ts';

/** Writes the state so that a power cut leaves either the old or the new state. */
export async function writeNodeState(folder: string, state: NodeState): Promise<void> {
  await writeFileAtomically(join(folder, stateFile), JSON.stringify(state));
}
