import { setTimeout as pause } from 'node:timers/promises';
import { realDoors, type SystemInterfaces } from '@vouch/platform/process/doors';

/** Shorter waits become this long: a look at the chain every two minutes, 5,040 in a week, each with all that follows from it. */
export const stepMs = 120_000;
/** Waits of this length bound a request; while one is under way no time passes, so they only must not end between two steps. */
const boundMs = 10_000;

/** Of a node: watching, judging, reporting, membership. Each rests between two turns. */
const lanes = 4;

interface Waiting {
  at: number;
  /** Whether it bounds no request, but is the rest of a lane between two turns. */
  rests: boolean;
  wake: () => void;
}

/** A clock that stands still until it is moved, and timers that go by it. */
export class SimulatedTime {
  #now = Date.now();
  readonly #waiting = new Set<Waiting>();
  readonly doors: SystemInterfaces = {
    ...realDoors,
    clock: { now: () => this.#now },
    timers: {
      sleep: (milliseconds, signal) => new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const rests = milliseconds < boundMs;
        const length = rests ? Math.max(milliseconds, stepMs) : milliseconds * 24;
        const waiting: Waiting = { at: this.#now + length, rests, wake: () => {
          this.#waiting.delete(waiting);
          signal?.removeEventListener('abort', waiting.wake);
          resolve();
        } };
        this.#waiting.add(waiting);
        signal?.addEventListener('abort', waiting.wake, { once: true });
      }),
    },
  };

  #resting(): number {
    return [...this.#waiting].filter(({ rests }) => rests).length;
  }

  get now(): number {
    return this.#now;
  }

  /**
   * Moves on by a step, wakes who waited for it, and waits until all of them rest again and nothing is under way: however slow
   * the machine is, nobody misses a step.
   * @param underWay requests that are not answered yet
   */
  async step(underWay: () => number): Promise<void> {
    this.#now += stepMs;
    for (const waiting of this.#waiting) if (waiting.at <= this.#now) waiting.wake();
    // Twice in a row: between two requests of a node there are a few turns of the event loop.
    for (let quiet = 0; quiet < 2; quiet = underWay() === 0 && this.#resting() >= lanes ? quiet + 1 : 0) await pause(1);
  }
}
