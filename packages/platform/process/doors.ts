import { randomBytes, randomUUID } from 'node:crypto';

/** Wall clock. The only source of the current time for business code. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Timers. The only way business code waits. */
export interface Timers {
  /**
   * Resolves after `milliseconds`, or at once (without an error) when the signal aborts.
   * @param holding whether the process stays alive for it; true unless told
   */
  sleep(milliseconds: number, signal?: AbortSignal, holding?: boolean): Promise<void>;
}

/** Randomness for identifiers and secrets; engines take a seed instead. */
export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
  /** Uniform in [0, 1), for jitter. */
  fraction(): number;
}

/** Clock, timers and randomness of the operating system. Code takes them as a parameter, so that a test or a simulation can replace them. */
export interface SystemInterfaces {
  clock: Clock;
  timers: Timers;
  random: Random;
}

/**
 * Milliseconds on a clock that only runs forward, from an unknown beginning: for intervals that a change of the wall clock must not
 * change. On Linux the time that the machine was suspended is not counted.
 */
export function elapsedMs(): number {
  return performance.now();
}

/** The interfaces of this operating system. */
export const realDoors: SystemInterfaces = {
  clock: { now: () => Date.now() },
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
