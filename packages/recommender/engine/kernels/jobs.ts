import type { KernelFunctions } from './kernelModule.ts';
import { poolSize, runTask } from './workerPool.ts';
import { Workspace } from './workspace.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/** A place in the calling thread's scratch memory, as an offset in bytes. */
interface ScratchPlace {
  scratch: number;
}

export type KernelCall = readonly [name: keyof KernelFunctions, ...arguments_: readonly (number | ScratchPlace)[]];

/** Calls that one thread makes in order. Jobs of one run use separate data, so they can run in any order. */
export interface Job {
  calls: readonly KernelCall[];
  /** Amount that the job adds to the progress. */
  units: number;
}

/** Jobs in the form that other threads receive. */
interface SharedJobs {
  memory: WebAssembly.Memory;
  jobs: readonly Job[];
  scratchBytes: number;
  /** Number of jobs taken so far. */
  taken: Int32Array;
}

/**
 * Runs jobs on all threads of the pool, with scratch memory for each thread. The result does not depend on the number of
 * threads.
 * @param scratchBytes scratch memory in bytes that the calls of one job need
 * @param meter receives the units of finished jobs
 */
export function runJobs(workspace: Workspace, jobs: readonly Job[], scratchBytes: number, meter?: ProgressMeter): void {
  const mark = workspace.mark();
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const content: SharedJobs = { memory: workspace.memory, jobs, scratchBytes, taken };
  let counted = 0;
  const report = (): void => {
    for (const done = Math.min(Atomics.load(taken, 0), jobs.length); counted < done; counted++) meter?.advance((jobs[counted] as Job).units);
  };
  const scratch = takeScratch(workspace, scratchBytes);
  if (poolSize() === 1 || jobs.length === 1) runShare(workspace, content, scratch, report);
  else runTask({ kind: 'jobs', content }, () => runShare(workspace, content, scratch, report), report, taken);
  report();
  workspace.release(mark);
}

/**
 * Share of another thread: runs jobs until none is left. Runs no job if there is not enough memory for the thread's scratch.
 */
export function runJobShare(content: SharedJobs): void {
  const workspace = new Workspace(content.memory);
  let scratch: number;
  try {
    scratch = takeScratch(workspace, content.scratchBytes);
  } catch (error) {
    // With 1.3 million items, the factors and the scratch memory of eight threads take 4 GB; fewer threads then do the work.
    if (error instanceof RangeError) return;
    throw error;
  }
  runShare(workspace, content, scratch, () => {});
}

function takeScratch(workspace: Workspace, bytes: number): number {
  return workspace.floats(Math.ceil(bytes / 4)).byteOffset;
}

function runShare(workspace: Workspace, { jobs, taken }: SharedJobs, scratch: number, report: () => void): void {
  for (;;) {
    const job = jobs[Atomics.add(taken, 0, 1)];
    if (job === undefined) return;
    for (const [name, ...given] of job.calls) {
      const kernel: (...arguments_: number[]) => unknown = workspace.call[name];
      kernel(...given.map((value) => (typeof value === 'number' ? value : scratch + value.scratch)));
    }
    report();
  }
}
