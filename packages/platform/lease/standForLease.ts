import type { Database, Session } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { nameWorker } from '../process/nameWorker.ts';
import { createLease, holdMs } from './createLease.ts';
import { keepLease } from './keepLease.ts';
import type { Lease } from './lease.ts';
import { endHolder, endLease, excludeRivals, findRival, lockLease, renewLease, seeLease, takeLease, type LeaseGroup } from './leaseStore.ts';

/** Time in ms after the last renewal from which another process may take the lease, by the database's clock. */
const leaseMs = 8_000;
const beatMs = 1_000;
/** Interval in ms at which a standby process checks the lease. */
const checkMs = 1_000;
/** Time limit in ms for statements on a lease, which touch a single row. A server that takes longer counts as unavailable. */
const answerMs = 3_000;
/** Upper bound in ms for row locks of a holder that hangs inside a transaction. */
const idleTransactionMs = 5_000;
/** Time in ms that the work gets to stop before another process may take the lease. */
const unwindMs = 2_000;
/** Number of attempts, 100 ms apart, to take the lock of a connection that was told to end. */
const maxLockTries = 20;

export interface LeaseOptions {
  database: Database;
  name: string;
  system: Pick<SystemInterfaces, 'elapsedMs' | 'timers' | 'random'>;
  log: Logger;
  /** Rejects if this process cannot do the work now; then another process may take the lease. */
  ready(): Promise<void>;
  /** If set, this process takes the lease only while no other lease of the group is held. */
  group?: LeaseGroup;
  /** Called at each check, about once per second, while another lease of the group is held. */
  occupied?(rival: string): Promise<void>;
  signal: AbortSignal;
}

/**
 * Runs `work` whenever this process holds the lease, and stands by otherwise, until the signal aborts. If a holder hangs, loses its machine or is cut
 * off from the database, another process takes over once the lease is over. If the server knows that the holder's connection is closed, another
 * process takes over at once. Failures are retried.
 * @param work must end soon after its signal aborts; its later writes are rejected
 * @example
 * await standForLease({ database, name: 'reports', system: systemInterfaces, log, ready: async () => {}, signal }, async (lease, stopped) => {
 *   while (!stopped.aborted) await lease.transaction((transaction) => sendNextReport(transaction));
 * });
 */
export async function standForLease(options: LeaseOptions, work: (lease: Lease, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { database, name, system, log, signal } = options;
  while (!signal.aborted) {
    let session: Session | null = null;
    try {
      session = await database.openSession({ name: `vouch lease ${nameWorker(process.pid)}`, readOnly: true, idleTransactionMs });
      while (!signal.aborted && !session.lost.aborted) {
        if (await becomeHolder(options, session)) {
          await hold(options, session, work);
          break;
        }
        await system.timers.sleep(checkMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ reason: (error as Error).message, lease: name }, 'work under a lease was interrupted and starts over');
    } finally {
      session?.close();
    }
    await system.timers.sleep(checkMs, signal);
  }
}

/** @returns whether the session now has the lock of the lease @throws an error if this process is not ready to do the work */
async function becomeHolder({ name, system, log, ready, group, occupied, signal }: LeaseOptions, session: Session): Promise<boolean> {
  const { locked, over } = await seeLease(session, name, answerMs);
  if (locked && !over) return false;
  const rival = group === undefined ? null : await findRival(session, name, group, answerMs);
  if (rival !== null) {
    await occupied?.(rival);
    return false;
  }
  await ready();
  if (locked) {
    log.warn({ lease: name }, 'the holder of a lease did not renew it; ending the connection of the holder');
    await endHolder(session, name, answerMs);
  }
  for (let tries = 0; tries < maxLockTries && !signal.aborted; tries += 1) {
    if (await lockLease(session, name, answerMs)) return true;
    await system.timers.sleep(checkMs / 10, signal);
  }
  return false;
}

async function hold(options: LeaseOptions, session: Session, work: (lease: Lease, signal: AbortSignal) => Promise<void>): Promise<void> {
  const { database, name, system, log, group } = options;
  const fence = system.random.uuid();
  const sinceMs = system.elapsedMs();
  const taken = await session.transaction(async (transaction) => {
    if (group !== undefined && !(await excludeRivals(transaction, name, group))) return false;
    await takeLease(transaction, name, { fence, holder: nameWorker(process.pid), leaseMs });
    return true;
  });
  // Another lease of the group was taken since the last check; closing the session releases the lock.
  if (!taken) return;

  const ended = new AbortController();
  const lost = new AbortController();
  const gone = AbortSignal.any([lost.signal, session.lost]);
  const stopped = AbortSignal.any([gone, options.signal]);
  // Work that was told to stop, but still holds the lease, can store what it has just done.
  const { lease, renew, deadline } = createLease({ name, fence, session, gone, sinceMs, elapsedMs: system.elapsedMs });
  let beats: Session | null = null;
  async function beatSession(): Promise<Session> {
    if (beats === null || beats.lost.aborted) beats = await database.openSession({ name: 'vouch lease renewal' });
    return beats;
  }
  const keeping = keepLease({
    holdMs, timers: system.timers, elapsedMs: system.elapsedMs, sinceMs, ended: ended.signal,
    rest: (remainingMs) => system.timers.sleep(Math.min(beatMs, remainingMs), ended.signal),
    renew: () => renew(async () => renewLease(await beatSession(), name, { fence, leaseMs }, answerMs)),
    onFailure: (error) => log.warn({ reason: (error as Error).message, lease: name }, 'could not renew a lease; retrying'),
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
      log.warn({ lease: name, overdue_ms: Math.round(Math.max(0, system.elapsedMs() - deadline())) }, 'this process lost the lease; another process may take it and continue the work');
      session.close();
    }
    await Promise.race([settled, system.timers.sleep(unwindMs)]);
    ended.abort();
    await keeping;
    // If the database is unavailable, the lease expires.
    await beatSession().then((own) => endLease(own, name, fence, given, answerMs)).catch(() => {});
    (beats as Session | null)?.close();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
