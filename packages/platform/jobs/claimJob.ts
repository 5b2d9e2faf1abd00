import type { Database } from '../database/database.ts';
import type { JobKind } from './job.ts';
import type { JobRow } from './jobRow.ts';
import { suspectInterruptions } from './setback.ts';

/** The parameters of a claim. */
export interface Claim {
  kind: JobKind;
  /** New fencing token of this attempt. */
  fence: string;
  leaseMs: number;
  /** Upper bound for running jobs of this kind and one organization, over all workers. */
  organizationLimit: number;
  /** Whether this worker already runs a suspect. Then it claims no second one. */
  besideSuspect: boolean;
  /** Name of this process, from `nameWorker`. */
  worker: string;
}

/**
 * Claims the oldest job of a kind that may run now, or returns null. An advisory lock, held for about 1 ms, serializes the claims of one kind, so the
 * limit per organization is exact. Of the jobs with one serial key, only the oldest is claimed, and only while none of them runs.
 */
export async function claimJob(database: Database, claim: Claim): Promise<JobRow | null> {
  const { kind, fence, leaseMs, organizationLimit, besideSuspect, worker } = claim;
  return database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 2))', [`vouch:claim:${kind.name}`]);
    const { rows } = await transaction.query<JobRow>(
      `update jobs set
         status = 'running', fence = $2, lease_until = now() + make_interval(secs => $3), attempt = attempt + 1,
         started_at = coalesce(started_at, now()), progressed_at = now(), worker = $7
       where id = (
         select id from jobs as candidate
         where kind = $1 and status = 'queued' and run_after <= now() and not cancel_requested
           and not ($5 and (crashes > 0 or interruptions >= $6))
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
      [kind.name, fence, leaseMs / 1_000, organizationLimit, besideSuspect, suspectInterruptions, worker]);
    return rows[0] ?? null;
  }).catch((error: unknown) => {
    // Two kinds with the same serial key were claimed at the same moment, and the unique index rejected this claim.
    if ((error as { constraint?: string }).constraint === 'jobs_serial_running') return null;
    throw error;
  });
}
