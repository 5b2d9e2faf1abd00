import { measureWaiting, type ProcessorTime } from '../process/measureWaiting.ts';

/** Less running and waiting than this between two looks is a process that waits for something else, e.g. the network. */
const leastSeconds = 0.2;
/** From here on waiting is most of what the processes do. */
const mostShare = 0.75;

/** Watches the processes that work for a job. */
export interface ProcessWatch {
  /** Adds a process with its descendants. */
  add(processId: number): void;
  /** What they mostly waited for since the last look; null where they worked, have ended, or the system does not tell. */
  look(): 'processor' | null;
}

export function watchProcesses(measure: (processId: number) => ProcessorTime | null = measureWaiting): ProcessWatch {
  const last = new Map<number, ProcessorTime>();
  return {
    add(processId) {
      last.set(processId, measure(processId) ?? { runSeconds: 0, waitSeconds: 0 });
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
        // A descendant that ended takes its time with it.
        run += Math.max(0, now.runSeconds - before.runSeconds);
        wait += Math.max(0, now.waitSeconds - before.waitSeconds);
      }
      return run + wait >= leastSeconds && wait >= mostShare * (run + wait) ? 'processor' : null;
    },
  };
}
