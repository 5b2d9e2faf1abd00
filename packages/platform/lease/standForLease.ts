import type { Database, Session } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import { elapsedMs, type SystemInterfaces } from '../process/doors.ts';
import { nameWorker } from '../process/nameWorker.ts';
import { keepLease } from './keepLease.ts';
import { LeaseLost, type Lease } from './lease.ts';
import { endHolder, endLease, holdsLease, lockLease, renewLease, seeLease, takeLease } from './leaseStore.ts';

/** Without a renewal somebody else may take a lease after this long, by the database's clock. */
export const leaseMs = 8_000;
/** Without a renewal the holder stops by itself after this long, by its own clock, counted from before it asked. */
const holdMs = 7_000;
const beatMs = 1_000;
/** How often a process that stands by checks the lease. */
const checkMs = 1_000;
/** Statements on a lease touch a single row: a server that takes longer counts as away. */
const answerMs = 3_000;
/** A holder that stops in the middle of a transaction keeps rows locked for so long at most. */
const idleTransactionMs = 5_000;
/** How long the work may take to stop before others may have the lease. */
const unwindMs = 2_000;
/** How often, 100 ms apart, a process tries the lock of a connection that was told to end. */
const maxLockTries = 20;

export interface LeaseOptions {
  database: Database;
  name: string;
  doors: Pick<SystemInterfaces, 'timers' | 'random'>;
  log: Logger;
  /** Rejects where this process could not do the work now; then another process may take the lease. */
  ready(): Promise<void>;
  signal: AbortSignal;
}

/**
 * Does `work` whenever this process holds the lease, and stands by otherwise, until the signal aborts. A holder that hangs, whose machine is
 * lost, or that is cut off from the database is followed by another process once the lease is over; one whose connection the server
 * knows to be closed, at once. Whatever fails is tried again.
 * @param work ends soon after its signal aborts; what it does later is refused
 */
export async function standForLease(options: LeaseOptions, work: (lease: Lease, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { database, name, doors, log, signal } = options;
  while (!signal.aborted) {
    let session: Session | null = null;
    try {
      session = await database.openSession({ name: `vouch lease ${nameWorker(process.pid)}`, readOnly: true, idleTransactionMs });
      while (!signal.aborted && !session.lost.aborted) {
        if (await becomeHolder(options, session)) {
          await hold(options, session, work);
          break;
        }
        await doors.timers.sleep(checkMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ reason: (error as Error).message, lease: name }, 'work under a lease was interrupted; it begins anew');
    } finally {
      session?.close();
    }
    await doors.timers.sleep(checkMs, signal);
  }
}

/** @returns whether the session now has the lock of the lease. @throws where this process is not ready to do the work */
async function becomeHolder({ name, doors, log, ready, signal }: LeaseOptions, session: Session): Promise<boolean> {
  const { locked, over } = await seeLease(session, name, answerMs);
  if (locked && !over) return false;
  await ready();
  if (locked) {
    log.warn({ lease: name }, 'the holder of a lease has not renewed it; its connection is ended');
    await endHolder(session, name, answerMs);
  }
  for (let tries = 0; tries < maxLockTries && !signal.aborted; tries += 1) {
    if (await lockLease(session, name, answerMs)) return true;
    await doors.timers.sleep(checkMs / 10, signal);
  }
  return false;
}

async function hold(options: LeaseOptions, session: Session, work: (lease: Lease, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { database, name, doors, log } = options;
  const fence = doors.random.uuid();
  const sinceMs = elapsedMs();
  await session.transaction((transaction) => takeLease(transaction, name, { fence, holder: nameWorker(process.pid), leaseMs }));

  const ended = new AbortController();
  const lost = new AbortController();
  const gone = AbortSignal.any([lost.signal, session.lost]);
  const stopped = AbortSignal.any([gone, options.signal]);
  // Work that is only told to stop still stores what it has just done.
  const { lease, renew, deadline } = createLease({ name, fence, session, gone, sinceMs });
  let beats: Session | null = null;
  async function beatSession(): Promise<Session> {
    if (beats === null || beats.lost.aborted) beats = await database.openSession({ name: 'vouch lease renewal' });
    return beats;
  }
  const keeping = keepLease({
    holdMs, timers: doors.timers, elapsedMs, sinceMs, ended: ended.signal,
    rest: (remainingMs) => doors.timers.sleep(Math.min(beatMs, remainingMs), ended.signal),
    renew: () => renew(async () => renewLease(await beatSession(), name, { fence, leaseMs }, answerMs)),
    onFailure: (error) => log.warn({ reason: (error as Error).message, lease: name }, 'a lease could not be renewed; it is tried again'),
  }).then((how) => {
    if (how === 'lost') lost.abort();
  });
  const working = work(lease, stopped);
  const settled = working.then(() => {}, () => {});
  try {
    await Promise.race([working, untilAborted(stopped)]);
  } finally {
    const given = !gone.aborted;
    if (!given) {
      log.warn({ lease: name, overdue_ms: Math.round(Math.max(0, elapsedMs() - deadline())) }, 'this process lost the lease; another process may take it and continue the work');
      session.close();
    }
    await Promise.race([settled, doors.timers.sleep(unwindMs)]);
    ended.abort();
    await keeping;
    // Where the database is away the lease runs out by itself.
    await beatSession().then((own) => endLease(own, name, fence, given, answerMs)).catch(() => {});
    (beats as Session | null)?.close();
  }
}

interface Holding {
  name: string;
  fence: string;
  session: Session;
  /** Aborted once somebody else may have the lease. */
  gone: AbortSignal;
  sinceMs: number;
}

/** The lease as the work sees it, and its renewal, which needs progress. */
function createLease({ name, fence, session, gone, sinceMs }: Holding): {
  lease: Lease;
  renew(ask: () => Promise<boolean>): Promise<'renewed' | 'withheld' | 'lost'>;
  /** When this process stops by itself, by `elapsedMs`. */
  deadline(): number;
} {
  let deadlineMs = sinceMs + holdMs;
  let progressed = true;
  let failing = false;
  // A statement that runs is the server's work, which ends it after a minute: the holder does not hang.
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
      if (!progressed && statements === 0) return 'withheld';
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

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
