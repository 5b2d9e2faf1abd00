import { KernelTools } from './kernelTools.ts';
import { PlainTools } from './plainTools.ts';
import type { RowTools } from './rowTools.ts';
import type { Workspace } from './workspace.ts';

/**
 * Creates the tools of one thread: kernels if the interactions are in shared memory, otherwise the plain versions.
 * @param interactions matrix whose rows the tools compute
 */
export function createRowTools({ workspace, items }: { workspace: Workspace | null; items: number }): RowTools {
  return workspace === null ? new PlainTools() : new KernelTools(workspace, items);
}
