import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { listProcessTree } from './processTree.ts';

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
  const sizes = await Promise.all((await listProcessTree(processId, processFolder)).map((member) => measureResident(member, processFolder)));
  return sizes.reduce((sum, size) => sum + size, 0);
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
