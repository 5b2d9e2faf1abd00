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
 * Time in ms after which PostgreSQL ends a transaction of the queue whose worker sends no statement. If the machine of a worker is lost within a claim, no
 * worker claims a job of the kind, or settles a job whose lease is over, until then; the limit of other transactions, 10 s, is longer than a short lease.
 */
export const lostAfterMs = 2_000;

/**
 * Claims the oldest job of a kind that may run now, or returns null. An advisory lock, held for about 1 ms, serializes the claims of one kind, so the
 * limit per organization is exact. Of the jobs with one serial key, only the oldest is claimed, and only while none of them runs.
 */
export async function claimJob(database: Database, claim: Claim): Promise<JobRow | null> {
  const { kind, fence, leaseMs, organizationLimit, besideSuspect, worker } = claim;
  return database.transaction(async (transaction) => {
    // One statement for both, because each worker claims every second.
    await transaction.query(
      `SELECT set_config('idle_in_transaction_session_timeout', $2, true), pg_advisory_xact_lock(hashtextextended($1, 2))`, [`vouch:claim:${kind.name}`, String(lostAfterMs)]);
    const { rows } = await transaction.query<JobRow>(
      `UPDATE jobs SET
         status = 'running', fence = $2, lease_until = now() + make_interval(secs => $3), attempt = attempt + 1,
         started_at = coalesce(started_at, now()), progressed_at = now(), worker = $7
       WHERE id = (
         SELECT id FROM jobs AS candidate
         WHERE kind = $1 AND status = 'queued' AND run_after <= now() AND NOT cancel_requested
           AND NOT ($5 AND (crashes > 0 OR interruptions >= $6))
           AND (serial_key IS NULL OR NOT EXISTS (
             SELECT 1 FROM jobs AS other
             WHERE other.serial_key = candidate.serial_key
               AND (other.status = 'running' OR (other.status = 'queued' AND other.number < candidate.number))))
           AND (
             SELECT count(*) FROM jobs AS other
             WHERE other.kind = $1 AND other.status = 'running' AND other.organization_id = candidate.organization_id) < $4
         ORDER BY number
         LIMIT 1
         FOR UPDATE SKIP LOCKED)
       RETURNING *`,
      [kind.name, fence, leaseMs / 1_000, organizationLimit, besideSuspect, suspectInterruptions, worker]);
    return rows[0] ?? null;
  }).catch((error: unknown) => {
    // Two kinds with the same serial key were claimed at the same moment, and the unique index rejected this claim.
    if ((error as { constraint?: string }).constraint === 'jobs_serial_running') return null;
    throw error;
  });
}
