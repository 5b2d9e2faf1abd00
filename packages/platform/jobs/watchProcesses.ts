import { measureWaiting, type ProcessorTime } from '../process/measureWaiting.ts';

/** If running and waiting add up to less than this between two measurements, the processes wait for something else, e.g. the network. */
const leastSeconds = 0.2;
/** Share of waiting from which a processor counts as the bottleneck. */
const mostShare = 0.75;

/** Measures the processes that work for a job. */
export interface ProcessWatch {
  /** Adds a process and its descendants. */
  add(processId: number): void;
  /** Returns what the processes mostly waited for since the last call; null if they did not wait, have ended, or the system has no measurement. */
  look(): 'processor' | null;
}

/** Creates the measurement for one attempt. @param measure reads the times of a process and its descendants; replaced in tests */
export function watchProcesses(measure: (processId: number) => ProcessorTime | null = measureWaiting): ProcessWatch {
  const last = new Map<number, ProcessorTime>();
  return {
    add(processId) {
      const now = measure(processId);
      if (now !== null) last.set(processId, now);
    },
    look() {
      let run = 0;
      let wait = 0;
      for (const [processId, before] of last) {
        const now = measure(processId);
        if (now === null) {
          last.delete(processId);
          continue;
        }
        last.set(processId, now);
        // The time of a descendant that has ended is missing in the sum, so the difference can be negative.
        const ran = Math.max(0, now.runSeconds - before.runSeconds);
        run += ran;
        // What was ready to run and has not run since is still waiting, and the kernel has not counted that wait yet.
        const lasting = before.isReady && now.isReady && ran === 0 ? now.atSeconds - before.atSeconds : 0;
        wait += Math.max(lasting, now.waitSeconds - before.waitSeconds, 0);
      }
      return run + wait >= leastSeconds && wait >= mostShare * (run + wait) ? 'processor' : null;
    },
  };
}
