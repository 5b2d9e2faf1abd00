import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Problem } from '@vouch/platform/errors/problem';
import type { Timers } from '@vouch/platform/process/systemInterfaces';

export interface GateLimits {
  /** Maximum number of concurrent uploads. */
  places: number;
  /** Maximum number of concurrent uploads of one organization. */
  placesPerOwner: number;
  /** Whether small uploads have one extra place, so that they do not wait for large uploads to end. */
  placeForSmall: boolean;
  /** Purpose of the places, for error messages. */
  name: string;
}

/** An upload that asks for a place. */
export interface Visit {
  /** Organization; waiting organizations take turns. */
  owner: string;
  size: 'small' | 'large';
}

interface Waiting extends Visit {
  enter(): void;
}

/** Maximum number of waiting uploads per organization; a waiting upload only holds a connection. */
const maxWaitingPerOwner = 100;
/** Maximum wait in ms; long enough for the files of a few other uploads. */
const maxWaitMs = 600_000;
const retryAfterSeconds = 30;

/**
 * Limits the number of concurrent uploads. If uploads wait, organizations take turns regardless of how many uploads each has,
 * and small and large uploads take turns. Therefore neither a busy organization nor a large file delays all other uploads
 * until its end.
 */
export class UploadGate {
  private readonly limits: GateLimits;
  private readonly timers: Timers;
  /** Number of running uploads by organization. */
  private readonly inside = new Map<string, number>();
  private readonly taken = { small: 0, large: 0 };
  /** Waiting uploads by organization; the organization whose turn is next comes first. */
  private readonly queues = new Map<string, Waiting[]>();
  private last: Visit['size'] = 'large';

  constructor(limits: GateLimits, timers: Timers) {
    this.limits = limits;
    this.timers = timers;
  }

  /**
   * Runs the work when there is a place.
   * @throws Problem `overloaded` if too many uploads of the organization wait, or no place becomes free in time; the signal's
   * reason
   */
  async pass<Result>(visit: Visit, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (this.mayEnter(visit) && !this.anyWaitsFor(visit)) this.enter(visit);
    else await this.wait(visit, signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.leave(visit);
    }
  }

  /** Whether another upload waits for a place that this organization holds. */
  isWanted(owner: string): boolean {
    if (this.queues.has(owner)) return true;
    return this.queues.size > 0 && this.taken.small + this.taken.large >= this.limits.places;
  }

  /** Whether a waiting upload of the same size could also enter; it has precedence. */
  private anyWaitsFor(visit: Visit): boolean {
    return [...this.queues.values()].some((queue) => queue.some((other) => other.size === visit.size && this.mayEnter(other)));
  }

  private mayEnter({ owner, size }: Visit): boolean {
    if ((this.inside.get(owner) ?? 0) >= this.limits.placesPerOwner) return false;
    const { small, large } = this.taken;
    const { places, placeForSmall } = this.limits;
    if (size === 'small') return small + large < places + (placeForSmall ? 1 : 0);
    return large + Math.max(0, small - (placeForSmall ? 1 : 0)) < places;
  }

  private enter({ owner, size }: Visit): void {
    this.inside.set(owner, (this.inside.get(owner) ?? 0) + 1);
    this.taken[size]++;
    this.last = size;
  }

  private leave({ owner, size }: Visit): void {
    const left = (this.inside.get(owner) ?? 1) - 1;
    if (left === 0) this.inside.delete(owner);
    else this.inside.set(owner, left);
    this.taken[size]--;
    for (let next = this.takeNext(); next !== null; next = this.takeNext()) {
      this.enter(next);
      next.enter();
    }
  }

  /** Removes and returns the next upload that may enter; its organization moves to the end of the turn order. */
  private takeNext(): Waiting | null {
    for (const size of this.last === 'small' ? ['large', 'small'] as const : ['small', 'large'] as const) {
      for (const [owner, queue] of this.queues) {
        const at = queue.findIndex((waiting) => waiting.size === size && this.mayEnter(waiting));
        const [next] = at < 0 ? [] : queue.splice(at, 1);
        if (next === undefined) continue;
        this.queues.delete(owner);
        if (queue.length > 0) this.queues.set(owner, queue);
        return next;
      }
    }
    return null;
  }

  /** Waits until another upload hands over its place. */
  private async wait(visit: Visit, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { owner } = visit;
    const queue = this.queues.get(owner) ?? [];
    if (queue.length >= maxWaitingPerOwner) throw overloaded(`${maxWaitingPerOwner} uploads of the organization are waiting already`);
    const over = new AbortController();
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        ...visit,
        enter: () => {
          over.abort();
          signal.removeEventListener('abort', gone);
          resolve();
        },
      };
      const leave = (reason: unknown): void => {
        const place = queue.indexOf(waiting);
        if (place < 0) return;
        queue.splice(place, 1);
        if (queue.length === 0 && this.queues.get(owner) === queue) this.queues.delete(owner);
        over.abort();
        signal.removeEventListener('abort', gone);
        reject(reason as Error);
      };
      const gone = (): void => leave(signal.reason);
      queue.push(waiting);
      this.queues.set(owner, queue);
      signal.addEventListener('abort', gone, { once: true });
      void this.timers.sleep(maxWaitMs, over.signal, false).then(() => {
        leave(overloaded(`${maxWaitMs / 60_000} minutes passed, and every place for ${this.limits.name} is still taken`));
      });
    });
  }
}

function overloaded(why: string): Problem {
  return platformErrors.problem('overloaded', `${why}. Nothing of this upload was stored; send it again in ${retryAfterSeconds} seconds.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
