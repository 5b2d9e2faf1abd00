import type { Connection, Database } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import { lostAfterMs } from './claimJob.ts';
import { endJob } from './endJob.ts';
import type { JobKind } from './job.ts';
import type { JobRow } from './jobRow.ts';
import { judgeSetback, type Setback } from './setback.ts';

/** The parts that settling a job needs. */
export interface Settling {
  database: Database;
  kinds: ReadonlyMap<string, JobKind>;
  log: Logger;
  /** Delay in ms before the first retry. */
  retryMs: number;
}

/** Lists up to 20 jobs whose worker died (lease expired), or whose cancellation was requested while they were queued. */
export async function listOrphans(database: Database, kinds: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM jobs
     WHERE kind = ANY($1) AND ((status = 'running' AND lease_until < now()) OR (status = 'queued' AND cancel_requested))
     LIMIT 20`, [kinds]);
  return rows.map(({ id }) => id);
}

/**
 * Puts an orphaned job back into the queue, or ends it if its cancellation was requested or it was interrupted too often.
 * @returns the fence of the attempt that died; null if there was none, or another process settles the job
 */
export async function settleOrphan({ database, kinds, log, retryMs }: Settling, id: string): Promise<string | null> {
  return database.transaction(async (transaction) => {
    await transaction.query(`SET LOCAL idle_in_transaction_session_timeout = ${lostAfterMs}`);
    const { rows } = await transaction.query<JobRow>(
      `SELECT * FROM jobs
       WHERE id = $1 AND ((status = 'running' AND lease_until < now()) OR (status = 'queued' AND cancel_requested))
       FOR UPDATE SKIP LOCKED`, [id]);
    const row = rows[0];
    const kind = row === undefined ? undefined : kinds.get(row.kind);
    if (row === undefined || kind === undefined) return null;
    await settle(transaction, { kinds, log, retryMs }, kind, row, 'interrupted');
    return row.fence;
  });
}

/**
 * Settles the jobs that a worker ran when it crashed, without waiting for their leases. The crash counts for each of these jobs, because any of them
 * may be the cause. From then on, no two of them run in one worker at once, so jobs that are not the cause can complete.
 */
export async function settleCrashed({ database, ...settling }: Settling, worker: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<JobRow>(
      `SELECT * FROM jobs WHERE worker = $1 AND status = 'running' ORDER BY number FOR UPDATE SKIP LOCKED`, [worker]);
    for (const row of rows) {
      const kind = settling.kinds.get(row.kind);
      if (kind !== undefined) await settle(transaction, settling, kind, row, 'crashed');
    }
  });
}

async function settle(
  transaction: Connection, { log, retryMs }: Omit<Settling, 'database'>, kind: JobKind, row: JobRow, setback: Setback,
): Promise<void> {
  const { id, stage } = row;
  if (row.cancel_requested) {
    await endJob(transaction, kind, id, { status: 'cancelled' }, { lockedRow: true });
    return;
  }
  const { abandoned, crashes, interruptions, delayMs } = judgeSetback(setback, row, { maxAttempts: kind.maxAttempts, retryMs });
  log.warn({ job: id, kind: row.kind, stage, setback, crashes, interruptions, delay_ms: delayMs, abandoned: abandoned !== null },
    'the worker of a job crashed, or sent no heartbeat until the lease expired');
  if (abandoned !== null) {
    await endJob(transaction, kind, id, { status: 'error', error: abandoned }, { lockedRow: true });
    return;
  }
  await transaction.query(
    `UPDATE jobs SET status = 'queued', fence = NULL, lease_until = NULL, waits_for = NULL, crashes = $2, interruptions = $3,
       run_after = now() + make_interval(secs => $4)
     WHERE id = $1`, [id, crashes, interruptions, delayMs / 1_000]);
}

/** Postpones an orphan that cannot be settled (e.g. a failing hook), so that it is not tried in each round. */
export async function postponeOrphan(database: Database, id: string): Promise<void> {
  await database.query(
    `UPDATE jobs SET lease_until = now() + interval '30 seconds' WHERE id = $1 AND status = 'running' AND lease_until < now()`,
    [id]);
}
