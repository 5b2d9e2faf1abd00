import type { Connection } from '../database/database.ts';
import type { ProblemRecord } from '../errors/problem.ts';
import type { Job, JobKind } from './job.ts';
import { toJob, wakeChannel, type JobRow } from './jobRow.ts';

export type JobEnd =
  | { status: 'completed' }
  | { status: 'cancelled' }
  | { status: 'error'; error: ProblemRecord };

/** Who ends the job: the worker that holds the fence, or a sweep or request that has locked the row. */
export type EndedBy = { fence: string } | { lockedRow: true };

/**
 * Ends a job inside the caller's transaction, with the `ended` hook of its kind where it did not succeed.
 * @returns null where the job is no longer the caller's: somebody else took it over, or, for a completion, a cancel came first
 */
export async function endJob(
  transaction: Connection, kind: JobKind, id: string, end: JobEnd, by: EndedBy,
): Promise<Job | null> {
  const { rows } = await transaction.query<JobRow>(
    `update jobs set
       status = $2, error = $3, completed_at = now(), fence = null, lease_until = null, waits_for = null,
       progress = case when $2 = 'completed' then 1 else progress end
     where id = $1 and ($4::uuid is null or fence = $4) and completed_at is null
       and ($2 <> 'completed' or not cancel_requested)
     returning *`,
    [id, end.status, end.status === 'error' ? JSON.stringify(end.error) : null, 'fence' in by ? by.fence : null]);
  const row = rows[0];
  if (row === undefined) return null;
  const job = toJob(row);
  if (end.status !== 'completed') await kind.ended?.(transaction, job);
  // A job that waited for this one can start.
  await transaction.query('select pg_notify($1, $2)', [wakeChannel, job.kind]);
  return job;
}
