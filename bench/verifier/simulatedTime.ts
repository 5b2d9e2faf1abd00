import { setTimeout as pause } from 'node:timers/promises';
import { realDoors, type Doors } from '@vouch/platform/process/doors';

/** Shorter waits become this long: a look at the chain every two minutes, 5,040 in a week, each with all that follows from it. */
export const stepMs = 120_000;
/** Waits of this length bound a request; while one is under way no time passes, so they only must not end between two steps. */
const boundMs = 10_000;

interface Waiting {
  at: number;
  wake: () => void;
}

/** A clock that stands still until it is moved, and timers that go by it. */
export class SimulatedTime {
  #now = Date.now();
  readonly #waiting = new Set<Waiting>();
  readonly doors: Doors = {
    ...realDoors,
    clock: { now: () => this.#now },
    timers: {
      sleep: (milliseconds, signal) => new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const length = milliseconds < boundMs ? Math.max(milliseconds, stepMs) : milliseconds * 24;
        const waiting: Waiting = { at: this.#now + length, wake: () => {
          this.#waiting.delete(waiting);
          signal?.removeEventListener('abort', waiting.wake);
          resolve();
        } };
        this.#waiting.add(waiting);
        signal?.addEventListener('abort', waiting.wake, { once: true });
      }),
    },
  };

  get now(): number {
    return this.#now;
  }

  /**
   * Moves on by a step and wakes who waited for it, once nothing is under way.
   * @param underWay requests that are not answered yet
   */
  async step(underWay: () => number): Promise<void> {
    this.#now += stepMs;
    for (const waiting of this.#waiting) if (waiting.at <= this.#now) waiting.wake();
    // Twice in a row: between two requests of a node there are a few turns of the event loop.
    for (let quiet = 0; quiet < 2; quiet = underWay() === 0 ? quiet + 1 : 0) await pause(1);
  }
}
