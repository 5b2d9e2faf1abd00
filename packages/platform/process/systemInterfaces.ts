import { randomBytes, randomUUID } from 'node:crypto';

/** Wall clock. Business code gets the current time only from here. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Timers. Business code waits only with these. */
export interface Timers {
  /**
   * Resolves after `milliseconds`, or at once, without an error, when the signal aborts.
   * @param holding whether the timer keeps the process alive. Default: true
   */
  sleep(milliseconds: number, signal?: AbortSignal, holding?: boolean): Promise<void>;
}

/** Randomness for identifiers and secrets. Engines use a seed instead. */
export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
  /** Uniform in [0, 1), for jitter. */
  fraction(): number;
}

/** Clocks, timers and randomness of the operating system. Code takes them as a parameter, so tests and simulations can replace them. */
export interface SystemInterfaces {
  clock: Clock;
  /**
   * Returns the time in ms of a monotonic clock with an arbitrary origin, for intervals that must not depend on changes of the wall clock. On Linux,
   * time during which the machine was suspended is not counted.
   */
  elapsedMs(): number;
  timers: Timers;
  random: Random;
}

/** The implementation that uses the operating system. */
export const systemInterfaces: SystemInterfaces = {
  clock: { now: () => Date.now() },
  elapsedMs: () => performance.now(),
  timers: {
    sleep: (milliseconds, signal, holding = true) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        if (!holding) timer.unref();
        signal?.addEventListener('abort', done, { once: true });
      }),
  },
  random: {
    bytes: (length) => randomBytes(length),
    uuid: () => randomUUID(),
    fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  },
};
