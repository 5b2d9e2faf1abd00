import type { Session } from '../database/database.ts';
import { LeaseLost, type Lease } from './lease.ts';
import { holdsLease } from './leaseStore.ts';

/** Time in ms after the request for the last renewal at which the holder stops, by its own clock. */
export const holdMs = 7_000;

interface Holding {
  name: string;
  fence: string;
  session: Session;
  /** Aborted once another process may hold the lease. */
  gone: AbortSignal;
  sinceMs: number;
  elapsedMs(): number;
}

/** Creates the lease for the work, and its renewal, which requires progress. */
export function createLease({ name, fence, session, gone, sinceMs, elapsedMs }: Holding): {
  lease: Lease;
  renew(ask: () => Promise<boolean>): Promise<'renewed' | 'withheld' | 'lost'>;
  /** Time at which this process stops, by `elapsedMs`. */
  deadline(): number;
} {
  let deadlineMs = sinceMs + holdMs;
  let progressed = true;
  let failing = false;
  // A running statement counts as progress: the server ends it after one minute, so the holder cannot hang on it. After a failure it does not count:
  // retries run statements too, and as time limits, pauses and renewals all take whole seconds, a statement often runs just when a renewal is due. Counted,
  // statements prolonged 2 of 7 takeovers of a writer without the chain from 8 s to 19 s.
  let statements = 0;

  async function counted<Result>(run: () => Promise<Result>): Promise<Result> {
    statements += 1;
    try {
      const result = await run();
      lease.progress('part');
      return result;
    } finally {
      statements -= 1;
    }
  }

  const lease: Lease = {
    query: (sql, values) => counted(() => session.query(sql, values)),
    transaction: (work) => counted(async () => {
      lease.assertHeld();
      return session.transaction(async (transaction) => {
        if (!(await holdsLease(transaction, name, fence))) throw new LeaseLost(name);
        return work(transaction);
      });
    }),
    assertHeld() {
      if (gone.aborted || elapsedMs() >= deadlineMs) throw new LeaseLost(name);
    },
    progress(what) {
      if (what === 'step') failing = false;
      if (!failing) progressed = true;
    },
    failed: () => { failing = true; },
  };
  return {
    lease,
    deadline: () => deadlineMs,
    async renew(ask) {
      if (!progressed && (failing || statements === 0)) return 'withheld';
      const before = progressed;
      progressed = false;
      const askedAt = elapsedMs();
      try {
        if (!(await ask())) return 'lost';
      } catch (error) {
        progressed ||= before;
        throw error;
      }
      deadlineMs = askedAt + holdMs;
      return 'renewed';
    },
  };
}
