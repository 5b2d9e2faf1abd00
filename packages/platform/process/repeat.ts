import type { Timers } from './systemInterfaces.ts';

/** Work in the background. */
export interface Background {
  /** Starts no further run, and waits for the current one. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at once, and again after each pause, until `stop` is called. Runs never overlap.
 * @param work must not reject; the signal aborts with `stop`
 */
export function repeat(timers: Timers, pauseMs: number, work: (stopping: AbortSignal) => Promise<void>): Background {
  return runUntilStopped(async (stopping) => {
    while (!stopping.aborted) {
      await work(stopping);
      await timers.sleep(pauseMs, stopping);
    }
  });
}

/** Runs `work` once; `stop` aborts the signal and waits for the end of `work`. */
export function runUntilStopped(work: (stopping: AbortSignal) => Promise<void>): Background {
  const stopping = new AbortController();
  const running = work(stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
