import { KernelTools } from './kernelTools.ts';
import { PlainTools } from './plainTools.ts';
import type { RowTools } from './rowTools.ts';
import type { Workspace } from './workspace.ts';

/**
 * Tools of one thread: kernels where the interactions lie in shared memory, their plain twins elsewhere.
 * @param interactions matrix whose rows are computed
 */
export function createRowTools({ workspace, items }: { workspace: Workspace | null; items: number }): RowTools {
  return workspace === null ? new PlainTools() : new KernelTools(workspace, items);
}
