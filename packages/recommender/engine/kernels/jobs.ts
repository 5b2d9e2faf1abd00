import type { KernelFunctions } from './kernelModule.ts';
import { poolSize, runTask } from './workerPool.ts';
import { Workspace } from './workspace.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/** A place in the scratch memory of the calling thread, in bytes from its beginning. */
interface ScratchPlace {
  scratch: number;
}

/** One call of a kernel. */
export type KernelCall = readonly [name: keyof KernelFunctions, ...arguments_: readonly (number | ScratchPlace)[]];

/** Calls that one thread makes in order. Jobs of one run touch nothing of each other's, so their order is free. */
export interface Job {
  calls: readonly KernelCall[];
  /** What finishing it adds to the progress. */
  units: number;
}

/** Jobs as threads get them. */
interface SharedJobs {
  memory: WebAssembly.Memory;
  jobs: readonly Job[];
  scratchBytes: number;
  /** Counts the jobs that were taken. */
  taken: Int32Array;
}

/**
 * Runs jobs, with scratch memory for each thread; the result does not depend on how many threads share them.
 * @param scratchBytes what the calls of one job need
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

/** The part of another thread: runs jobs until none is left; none where there is no memory left for its scratch. */
export function runJobShare(content: SharedJobs): void {
  const workspace = new Workspace(content.memory);
  let scratch: number;
  try {
    scratch = takeScratch(workspace, content.scratchBytes);
  } catch (error) {
    // Factors of 1.3 million items and the scratch of eight threads are 4 GB: fewer threads do it.
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
