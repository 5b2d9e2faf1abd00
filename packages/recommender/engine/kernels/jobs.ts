import type { KernelFunctions } from './kernelModule.ts';
import type { Workspace } from './workspace.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/** A place in the scratch memory of whoever makes the call, in bytes from its beginning. */
export interface ScratchPlace {
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

/** Makes the calls of a job with scratch memory at an address. */
export function runJob(workspace: Workspace, calls: readonly KernelCall[], scratch: number): void {
  for (const [name, ...given] of calls) {
    const kernel: (...arguments_: number[]) => unknown = workspace.call[name];
    kernel(...given.map((value) => (typeof value === 'number' ? value : scratch + value.scratch)));
  }
}

/** Runs jobs; the result does not depend on how many threads share them. */
export function runJobs(workspace: Workspace, jobs: readonly Job[], scratchBytes: number, meter?: ProgressMeter): void {
  const mark = workspace.mark();
  const scratch = workspace.floats(Math.ceil(scratchBytes / 4)).byteOffset;
  for (const { calls, units } of jobs) {
    runJob(workspace, calls, scratch);
    meter?.advance(units);
  }
  workspace.release(mark);
}
