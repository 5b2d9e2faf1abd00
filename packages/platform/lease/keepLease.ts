import type { Timers } from '../process/systemInterfaces.ts';

/** The parts and times of `keepLease`. */
export interface LeaseKeeping {
  /** The holder stops this long in ms after it requested the last granted renewal. */
  holdMs: number;
  timers: Pick<Timers, 'sleep'>;
  /** Monotonic clock in ms. */
  elapsedMs(): number;
  /** Time of the request for the lease, by `elapsedMs`. */
  sinceMs: number;
  /** Waits until the next renewal is due, at most `remainingMs` ms, the rest of the lease. */
  rest(remainingMs: number): Promise<void>;
  /** Renews the lease. `withheld`: no renewal was requested, because the work made no progress. Rejects if the database does not answer. */
  renew(): Promise<'renewed' | 'withheld' | 'lost'>;
  /** Called if a renewal fails. The renewal is retried until the lease is over. */
  onFailure(error: unknown): void;
  /** Aborted when the work has ended. */
  ended: AbortSignal;
}

/**
 * Renews a lease until the work has ended or the lease is lost: to another process, or because no renewal was granted for `holdMs`. The end of the
 * lease is detected even if the database hangs.
 */
export async function keepLease(keeping: LeaseKeeping): Promise<'ended' | 'lost'> {
  const { holdMs, timers, elapsedMs, rest, renew, onFailure, ended } = keeping;
  let leasedAt = keeping.sinceMs;
  const remainingMs = (): number => Math.max(0, leasedAt + holdMs - elapsedMs());
  while (!ended.aborted) {
    await rest(remainingMs());
    if (ended.aborted) break;
    const askedAt = elapsedMs();
    if (remainingMs() === 0) return 'lost';
    const answered = new AbortController();
    const answer = await Promise.race([
      renew().catch((error: unknown) => {
        onFailure(error);
        return 'failed' as const;
      }),
      timers.sleep(remainingMs(), answered.signal).then(() => 'late' as const),
    ]);
    answered.abort();
    if (ended.aborted) break;
    if (answer === 'lost' || answer === 'late') return 'lost';
    if (answer === 'renewed') leasedAt = askedAt;
  }
  return 'ended';
}
