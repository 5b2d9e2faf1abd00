import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface RssReport<Result> {
  /** Largest sum seen of the resident memory of the process and its descendants, in bytes. */
  peakBytes: number;
  /** The same, beyond what they had at idle. */
  beyondIdleBytes: number;
  samples: number;
  result: Result;
}

export interface RssOptions {
  /** Resident bytes of the same processes before the work; measured at the start where it is left out. */
  idleBytes?: number;
  intervalMs?: number;
  /** Where the kernel shows processes; another folder in tests. */
  processFolder?: string;
  sleep?: (milliseconds: number) => Promise<void>;
}

/**
 * Sum of the resident memory of a process and all its descendants, in bytes. Pages that processes share, such as
 * PostgreSQL's buffers, count once for each of them, so the sum is never too small.
 * @throws Error where the process is gone, or the system has no /proc
 */
export async function residentBytes(processId: number, processFolder = '/proc'): Promise<number> {
  const parents = await readParents(processFolder);
  if (!parents.has(processId)) throw new Error(`process ${processId} is not in ${processFolder}: it ended, or this is not Linux`);
  const tree = new Set([processId]);
  // Children may have smaller numbers than their parents, so repeat until nothing is added.
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const [child, parent] of parents) if (tree.has(parent)) tree.add(child);
  }
  const sizes = await Promise.all([...tree].map((member) => readResident(member, processFolder)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function readParents(processFolder: string): Promise<Map<number, number>> {
  const parents = new Map<number, number>();
  const names = (await readdir(processFolder)).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(join(processFolder, name, 'stat'), 'utf8').catch(() => null);
      // The name in brackets may itself hold brackets and blanks: state and parent follow the last one.
      const parent = stat === null ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      if (parent !== undefined) parents.set(Number(name), Number(parent));
    }),
  );
  return parents;
}

/** 0 for a process that ended between listing and reading. */
async function readResident(processId: number, processFolder: string): Promise<number> {
  const status = await readFile(join(processFolder, String(processId), 'status'), 'utf8').catch(() => '');
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

/**
 * Runs work and samples the resident memory of a process tree meanwhile (every 50 ms; a shorter peak can be missed).
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
  // A failure of the work is thrown below, after the sampling has ended.
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
