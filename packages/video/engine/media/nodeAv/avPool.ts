import type { Timers } from '@vouch/platform/process/systemInterfaces';
import type { MediaLimits } from '../mediaBackend.ts';
import { AvChild } from './avChild.ts';
import type { TaskEnd } from './protocol/records.ts';

/** Maximum number of idle children; each uses about 100 MB. */
const maxIdle = 2;
/** An idle child is stopped after this time. */
export const maxIdleMs = 10_000;
/** A child that has used this much processor time is not reused: a new child costs only 0.4 s. */
const longWorkSeconds = 8;
/** A child is reused while it has used less than this share of its limits of processor time and memory. */
const usedShare = 1 / 8;

/**
 * The child processes of one backend. A child is reused only after a task that succeeded, so a damaged file cannot affect
 * the next file. Idle children do not keep the parent process alive, and end with it.
 */
export class AvPool {
  private readonly limits: MediaLimits;
  private readonly timers: Timers;
  private readonly idle: { child: AvChild; waiting: AbortController }[] = [];

  constructor(limits: MediaLimits, timers: Timers) {
    this.limits = limits;
    this.timers = timers;
  }

  /** Returns an idle child, or a new one. The caller owns the child until the caller gives it back or stops it. */
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

  /** Takes back a child whose task succeeded. */
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
