import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface RssReport<Result> {
  /** Largest observed sum of the resident memory of the process and its descendants, in bytes. */
  peakBytes: number;
  /** `peakBytes` minus the idle memory of the same processes. */
  beyondIdleBytes: number;
  samples: number;
  result: Result;
}

export interface RssOptions {
  /** Resident bytes of the same processes before the work. Default: measured at the start. */
  idleBytes?: number;
  intervalMs?: number;
  /** Folder of the proc file system; tests use a different folder. */
  processFolder?: string;
  sleep?: (milliseconds: number) => Promise<void>;
}

/**
 * Returns the sum of the resident memory of a process and all its descendants, in bytes. Shared pages, such as PostgreSQL's
 * buffers, count once per process, so the sum is an upper bound.
 * @throws Error if the process does not exist, or the system has no /proc
 */
export async function residentBytes(processId: number, processFolder = '/proc'): Promise<number> {
  const parents = await findParents(processFolder);
  if (!parents.has(processId)) throw new Error(`process ${processId} is not in ${processFolder}: it ended, or this is not Linux`);
  const tree = new Set([processId]);
  // A child can have a smaller process id than its parent, so the loop repeats until no process is added.
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const [child, parent] of parents) if (tree.has(parent)) tree.add(child);
  }
  const sizes = await Promise.all([...tree].map((member) => measureResident(member, processFolder)));
  return sizes.reduce((sum, size) => sum + size, 0);
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

/** Returns the resident bytes of a process, or 0 if the process ended after the listing. */
async function measureResident(processId: number, processFolder: string): Promise<number> {
  const status = await readFile(join(processFolder, String(processId), 'status'), 'utf8').catch(() => '');
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

/**
 * Runs `work` and samples the resident memory of a process tree meanwhile, every 50 ms by default. Shorter peaks can be missed.
 * @param processId root of the tree, e.g. a running server
 */
export async function measureRss<Result>(
  processId: number,
  work: () => Promise<Result>,
  options: RssOptions = {},
): Promise<RssReport<Result>> {
  const { intervalMs = 50, processFolder = '/proc', sleep = async (milliseconds) => void (await wait(milliseconds)) } = options;
  const idleBytes = options.idleBytes ?? (await residentBytes(processId, processFolder));
  const state = { done: false };
  const running = work().finally(() => (state.done = true));
  // Errors of the work are thrown below, after the sampling has ended.
  running.catch(() => undefined);
  let peakBytes = 0;
  let samples = 0;
  do {
    peakBytes = Math.max(peakBytes, await residentBytes(processId, processFolder));
    samples++;
    await sleep(intervalMs);
  } while (!state.done);
  return { result: await running, peakBytes, beyondIdleBytes: Math.max(0, peakBytes - idleBytes), samples };
}
