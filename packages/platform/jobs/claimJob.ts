import type { Database } from '../database/database.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import { endJob } from './endJob.ts';
import type { JobKind } from './job.ts';
import type { JobRow } from './jobRow.ts';

export interface Claim {
  kind: JobKind;
  /** New fencing token of this attempt. */
  fence: string;
  leaseMs: number;
  /** How many jobs of this kind one organization may have running in all workers. */
  organizationLimit: number;
}

/**
 * Claims the oldest job of a kind that may run now, or returns null.
 * Claims of one kind go one after the other (an advisory lock for about a millisecond), which makes the limit exact; of the
 * jobs with one serial key only the oldest is taken, and only while none of them runs.
 */
export async function claimJob(database: Database, { kind, fence, leaseMs, organizationLimit }: Claim): Promise<JobRow | null> {
  return database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 2))', [`vouch:claim:${kind.name}`]);
    const { rows } = await transaction.query<JobRow>(
      `update jobs set
         status = 'running', fence = $2, lease_until = now() + make_interval(secs => $3), attempt = attempt + 1,
         started_at = coalesce(started_at, now())
       where id = (
         select id from jobs as candidate
         where kind = $1 and status = 'queued' and run_after <= now() and not cancel_requested
           and (serial_key is null or not exists (
             select 1 from jobs as other
             where other.serial_key = candidate.serial_key
               and (other.status = 'running' or (other.status = 'queued' and other.number < candidate.number))))
           and (
             select count(*) from jobs as other
             where other.kind = $1 and other.status = 'running' and other.organization_id = candidate.organization_id) < $4
         order by number
         limit 1
         for update skip locked)
       returning *`,
      [kind.name, fence, leaseMs / 1_000, organizationLimit]);
    return rows[0] ?? null;
  }).catch((error: unknown) => {
    // Kinds that share a serial key claimed at the same moment; the unique index let one of them through.
    if ((error as { constraint?: string }).constraint === 'jobs_serial_running') return null;
    throw error;
  });
}

/** Ids of jobs whose worker died (lease over), or that are to be cancelled while queued. At most 20 at a time. */
export async function listOrphans(database: Database, kinds: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id from jobs
     where kind = any($1) and ((status = 'running' and lease_until < now()) or (status = 'queued' and cancel_requested))
     limit 20`, [kinds]);
  return rows.map(({ id }) => id);
}

/** Puts an orphaned job back into the queue, or ends it where it was cancelled or has used up its attempts. */
export async function settleOrphan(database: Database, kinds: ReadonlyMap<string, JobKind>, id: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<JobRow>(
      `select * from jobs
       where id = $1 and ((status = 'running' and lease_until < now()) or (status = 'queued' and cancel_requested))
       for update skip locked`, [id]);
    const row = rows[0];
    const kind = row === undefined ? undefined : kinds.get(row.kind);
    if (row === undefined || kind === undefined) return;
    if (row.cancel_requested) {
      await endJob(transaction, kind, id, { status: 'cancelled' }, { lockedRow: true });
    } else if (row.attempt >= kind.maximumAttempts) {
      await endJob(transaction, kind, id, { status: 'error', error: abandoned(row.attempt) }, { lockedRow: true });
    } else {
      await transaction.query(
        `update jobs set status = 'queued', fence = null, lease_until = null, run_after = now() where id = $1`, [id]);
    }
  });
}

/** Keeps an orphan whose end fails (a fault in a hook) from being tried in every round. */
export async function postponeOrphan(database: Database, id: string): Promise<void> {
  await database.query(
    `update jobs set lease_until = now() + interval '30 seconds' where id = $1 and status = 'running' and lease_until < now()`,
    [id]);
}

export function abandoned(attempts: number): ReturnType<ReturnType<typeof platformErrors.problem>['toRecord']> {
  return platformErrors.problem('job-abandoned',
    `The job was tried ${attempts} times and did not get to its end: its workers died or met an unexpected failure. ` +
    'The log of the workers names the reason under the id of the job; run `vouch doctor`, then start it again.').toRecord();
}
