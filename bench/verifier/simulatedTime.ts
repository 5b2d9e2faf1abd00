import { setTimeout as pause } from 'node:timers/promises';
import { systemInterfaces, type SystemInterfaces } from '@vouch/platform/process/systemInterfaces';

/**
 * Time of one step. Shorter waits are lengthened to one step: the node polls the chain every two minutes, 5,040 times in a week.
 */
export const stepMs = 120_000;
/**
 * Waits of at least this length are request timeouts. Time does not advance during a request, so these waits are extended to end
 * much later than the next step.
 */
const boundMs = 10_000;

/** Number of a node's concurrent loops: watching, verifying, reporting, membership. Each loop sleeps between two rounds. */
const lanes = 4;

interface Waiting {
  at: number;
  /** True for the sleep of a loop between two rounds; false for the timeout of a request. */
  rests: boolean;
  wake: () => void;
}

/** A clock that advances only in `step`, and timers that follow the clock. */
export class SimulatedTime {
  #now = Date.now();
  readonly #waiting = new Set<Waiting>();
  readonly system: SystemInterfaces = {
    ...systemInterfaces,
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
   * Advances the clock by one step, wakes the timers that are due, and waits until all loops sleep again and no request is
   * pending. No loop misses a step, however slow the machine is.
   * @param underWay returns the number of unanswered requests
   */
  async step(underWay: () => number): Promise<void> {
    this.#now += stepMs;
    for (const waiting of this.#waiting) if (waiting.at <= this.#now) waiting.wake();
    // Requires two quiet checks in a row, because a few turns of the event loop pass between two requests of a node.
    for (let quiet = 0; quiet < 2; quiet = underWay() === 0 && this.#resting() >= lanes ? quiet + 1 : 0) await pause(1);
  }
}
