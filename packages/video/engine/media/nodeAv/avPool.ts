import type { Timers } from '@vouch/platform/process/doors';
import type { MediaLimits } from '../mediaBackend.ts';
import { AvChild } from './avChild.ts';
import type { TaskEnd } from './protocol/records.ts';

/** Children that wait for a task at the same time; each holds some 100 MB. */
const maxIdle = 2;
/** How long one waits before it is ended. */
export const maxIdleMs = 10_000;
/** Starting a child costs 0.4 s of processor time, which is not worth saving after so much work. */
const longWorkSeconds = 8;
/** The part of its limits of processor time and memory that a child may have used up and still get another task. */
const usedShare = 1 / 8;

/**
 * The children of one backend. One that ended its task well waits for another one; any other is not used again, so that
 * damage never spreads from file to file. Those that wait do not keep our process alive, and die with it.
 */
export class AvPool {
  private readonly limits: MediaLimits;
  private readonly timers: Timers;
  private readonly idle: { child: AvChild; waiting: AbortController }[] = [];

  constructor(limits: MediaLimits, timers: Timers) {
    this.limits = limits;
    this.timers = timers;
  }

  /** A child without a task: one that waits, or a new one. It belongs to the caller until it is given back or stopped. */
  take(): AvChild {
    for (;;) {
      const idle = this.idle.pop();
      if (idle === undefined) return new AvChild(this.limits, this.timers);
      const { child, waiting } = idle;
      waiting.abort();
      if (!child.alive) continue;
      child.hold(true);
      return child;
    }
  }

  /** Takes back a child whose task ended well. */
  giveBack(child: AvChild, end: TaskEnd): void {
    if (!child.alive) return;
    if (this.idle.length >= maxIdle || !this.likeNew(end)) return child.stop({ kind: 'cancelled' });
    child.hold(false);
    const waiting = new AbortController();
    this.idle.push({ child, waiting });
    void this.timers.sleep(maxIdleMs, waiting.signal, false).then(() => {
      if (waiting.signal.aborted) return;
      this.idle.splice(this.idle.findIndex((idle) => idle.child === child), 1);
      child.stop({ kind: 'cancelled' });
    });
  }

  private likeNew({ cpuSeconds, grownBytes }: TaskEnd): boolean {
    return cpuSeconds < Math.min(longWorkSeconds, this.limits.cpuSeconds * usedShare) && grownBytes < this.limits.memoryBytes * usedShare;
  }
}
