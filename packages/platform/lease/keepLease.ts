import type { Timers } from '../process/doors.ts';

export interface LeaseKeeping {
  /** The holder stops by itself this long after it asked for the last renewal that was granted, in ms. */
  holdMs: number;
  timers: Pick<Timers, 'sleep'>;
  /** A clock that only runs forward, in ms. */
  elapsedMs(): number;
  /** When the lease was asked for, by `elapsedMs`. */
  sinceMs: number;
  /** Waits until the next renewal is due, but no longer than the lease still lasts. */
  rest(remainingMs: number): Promise<void>;
  /** `withheld`: nothing was asked for, since the work made no progress. Rejects where the database does not answer. */
  renew(): Promise<'renewed' | 'withheld' | 'lost'>;
  /** A renewal failed; it is tried again until the time is over. */
  onFailure(error: unknown): void;
  /** The work has ended. */
  ended: AbortSignal;
}

/**
 * Renews a lease until the work has ended or the lease is lost: to somebody else, or because no renewal was granted for `holdMs`.
 * A database that hangs does not hide that the time is over.
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
