import type { Connection } from '../database/database.ts';
import type { ProblemRecord } from '../errors/problem.ts';
import type { Job, JobKind } from './job.ts';
import { toJob, wakeChannel, type JobRow } from './jobRow.ts';

/** How a job ends. */
export type JobEnd =
  | { status: 'completed' }
  | { status: 'cancelled' }
  | { status: 'error'; error: ProblemRecord };

/** The caller that ends the job: the worker that holds the fence, or a sweep or request that has locked the row. */
export type EndedBy = { fence: string; traceparent: string | null } | { lockedRow: true };

/**
 * Ends a job in the caller's transaction. If the job did not succeed, also calls the `ended` hook of its kind.
 * @returns the ended job; null if the caller no longer holds the job, because another worker took it over or, for a completion, its cancellation was
 *   requested first
 */
export async function endJob(
  transaction: Connection, kind: JobKind, id: string, end: JobEnd, by: EndedBy,
): Promise<Job | null> {
  const { rows } = await transaction.query<JobRow>(
    `UPDATE jobs SET
       status = $2, error = $3, completed_at = now(), fence = NULL, lease_until = NULL, waits_for = NULL,
       progress = CASE WHEN $2 = 'completed' THEN 1 ELSE progress END
     WHERE id = $1 AND ($4::uuid IS NULL OR fence = $4) AND completed_at IS NULL
       AND ($2 <> 'completed' OR NOT cancel_requested)
     RETURNING *`,
    [id, end.status, end.status === 'error' ? JSON.stringify(end.error) : null, 'fence' in by ? by.fence : null]);
  const row = rows[0];
  if (row === undefined) return null;
  const job = 'fence' in by ? { ...toJob(row), traceparent: by.traceparent } : toJob(row);
  if (end.status !== 'completed') await kind.ended?.(transaction, job);
  // Jobs that waited for this one may now start.
  await transaction.query('SELECT pg_notify($1, $2)', [wakeChannel, job.kind]);
  return job;
}
