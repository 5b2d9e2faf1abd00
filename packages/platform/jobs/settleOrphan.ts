import type { Database } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import { endJob } from './endJob.ts';
import type { JobKind } from './job.ts';
import type { JobRow } from './jobRow.ts';
import { judgeSetback } from './setback.ts';

export interface Settling {
  database: Database;
  kinds: ReadonlyMap<string, JobKind>;
  log: Logger;
  /** First waiting time before a repetition, ms. */
  retryMs: number;
}

/** Ids of jobs whose worker died (lease over), or that are to be cancelled while queued. At most 20 at a time. */
export async function listOrphans(database: Database, kinds: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id from jobs
     where kind = any($1) and ((status = 'running' and lease_until < now()) or (status = 'queued' and cancel_requested))
     limit 20`, [kinds]);
  return rows.map(({ id }) => id);
}

/**
 * Puts an orphaned job back into the queue, or ends it where it was cancelled or was interrupted too often.
 * @returns the fence of the attempt that died; null where there was none, or somebody else settles the job
 */
export async function settleOrphan({ database, kinds, log, retryMs }: Settling, id: string): Promise<string | null> {
  return database.transaction(async (transaction) => {
    const { rows } = await transaction.query<JobRow>(
      `select * from jobs
       where id = $1 and ((status = 'running' and lease_until < now()) or (status = 'queued' and cancel_requested))
       for update skip locked`, [id]);
    const row = rows[0];
    const kind = row === undefined ? undefined : kinds.get(row.kind);
    if (row === undefined || kind === undefined) return null;
    if (row.cancel_requested) {
      await endJob(transaction, kind, id, { status: 'cancelled' }, { lockedRow: true });
      return row.fence;
    }
    const { abandoned, interruptions, delayMs } = judgeSetback('interrupted', row, { maximumAttempts: kind.maximumAttempts, retryMs });
    log.warn({ job: id, kind: row.kind, stage: row.stage, interruptions, delay_ms: delayMs, abandoned: abandoned !== null },
      'the worker of a job was not heard of for the length of its lease');
    if (abandoned !== null) {
      await endJob(transaction, kind, id, { status: 'error', error: abandoned }, { lockedRow: true });
      return row.fence;
    }
    await transaction.query(
      `update jobs set status = 'queued', fence = null, lease_until = null, waits_for = null, interruptions = $2,
         run_after = now() + make_interval(secs => $3)
       where id = $1`, [id, interruptions, delayMs / 1_000]);
    return row.fence;
  });
}

/** Keeps an orphan whose end fails (a fault in a hook) from being tried in every round. */
export async function postponeOrphan(database: Database, id: string): Promise<void> {
  await database.query(
    `update jobs set lease_until = now() + interval '30 seconds' where id = $1 and status = 'running' and lease_until < now()`,
    [id]);
}
