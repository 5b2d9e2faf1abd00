import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Lists a process and all its descendants.
 * @param processFolder folder of the proc file system; tests use a different folder
 * @throws Error if the process does not exist, or the system has no /proc
 */
export async function listProcessTree(processId: number, processFolder = '/proc'): Promise<number[]> {
  const parents = await findParents(processFolder);
  if (!parents.has(processId)) throw new Error(`process ${processId} is not in ${processFolder}: it ended, or this is not Linux`);
  const tree = new Set([processId]);
  // A child can have a smaller process id than its parent, so the loop repeats until no process is added.
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const [child, parent] of parents) if (tree.has(parent)) tree.add(child);
  }
  return [...tree];
}

async function findParents(processFolder: string): Promise<Map<number, number>> {
  const parents = new Map<number, number>();
  const names = (await readdir(processFolder)).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(join(processFolder, name, 'stat'), 'utf8').catch(() => null);
      // The process name in brackets can itself contain brackets and spaces; state and parent follow the last closing bracket.
      const parent = stat === null ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      if (parent !== undefined) parents.set(Number(name), Number(parent));
    }),
  );
  return parents;
}
