import type { Connection } from '../database/database.ts';
import type { JobStatus } from './job.ts';
import { suspectInterruptions } from './setback.ts';

/**
 * SQL that returns one text column: the blobs that queued and running jobs name in their inputs or in the results of their finished stages. The
 * collection must keep these blobs.
 */
export const jobBlobReferences = `
  SELECT jsonb_path_query(jsonb_build_array(input, checkpoints),
    'strict $.** ? (@ like_regex "^sha256-[0-9a-f]{64}$")') #>> '{}' AS blob
  FROM jobs WHERE status IN ('queued', 'running')`;

/** A job that needs the operator's attention. */
export interface StuckJob {
  id: string;
  organizationId: string;
  kind: string;
  subject: string;
  reason:
    | 'no worker runs the job' | 'the worker died and no other worker took over'
    | 'the job waits for CPU time' | 'the job makes no progress' | 'the worker of the job or the database keeps becoming unavailable';
  /** Current stage; null before the first. */
  stage: string | null;
  /** Duration of this state in seconds. */
  seconds: number;
}

/**
 * Lists up to 100 jobs that need attention, for `vouch doctor`: due for ten minutes while no job of their kind runs; without a lease for one minute;
 * without progress for five minutes; or interrupted three times in a row.
 */
export async function listStuckJobs(connection: Connection): Promise<StuckJob[]> {
  const { rows } = await connection.query<{
    id: string; organization_id: string; kind: string; subject: string; stage: string | null; reason: StuckJob['reason']; seconds: number;
  }>(
    `SELECT id, organization_id, kind, subject, stage, 'no worker runs the job' AS reason,
       extract(epoch FROM now() - run_after)::float8 AS seconds
     FROM jobs AS waiting
     WHERE status = 'queued' AND run_after < now() - interval '10 minutes'
       AND NOT EXISTS (SELECT 1 FROM jobs AS other WHERE other.kind = waiting.kind AND other.status = 'running')
     UNION ALL
     SELECT id, organization_id, kind, subject, stage, 'the worker died and no other worker took over',
       extract(epoch FROM now() - lease_until)::float8
     FROM jobs WHERE status = 'running' AND lease_until < now() - interval '1 minute'
     UNION ALL
     SELECT id, organization_id, kind, subject, stage,
       CASE waits_for WHEN 'processor' THEN 'the job waits for CPU time' ELSE 'the job makes no progress' END,
       extract(epoch FROM now() - progressed_at)::float8
     FROM jobs WHERE status = 'running' AND lease_until >= now() AND progressed_at < now() - interval '5 minutes'
     UNION ALL
     SELECT id, organization_id, kind, subject, stage, 'the worker of the job or the database keeps becoming unavailable', extract(epoch FROM now() - progressed_at)::float8
     FROM jobs WHERE status = 'queued' AND interruptions >= ${suspectInterruptions}
     ORDER BY seconds DESC LIMIT 100`);
  return rows.map(({ organization_id: organizationId, ...row }) => ({ ...row, organizationId }));
}

/** Number of jobs of one kind and status. */
export interface JobCount {
  kind: string;
  status: JobStatus;
  count: number;
  /** Time in seconds that the oldest due job has waited; 0 for other statuses. */
  oldestSeconds: number;
}

/** Counts queued jobs, running jobs, and jobs that ended within the last hour, by kind and status. For metrics. */
export async function countJobs(connection: Connection): Promise<JobCount[]> {
  const { rows } = await connection.query<{ kind: string; status: JobStatus; count: number; oldest: number }>(
    `SELECT kind, status, count(*)::int AS count,
       coalesce(max(extract(epoch FROM now() - run_after)) FILTER (WHERE status = 'queued' AND run_after <= now()), 0)::float8
         AS oldest
     FROM jobs
     WHERE status IN ('queued', 'running') OR completed_at > now() - interval '1 hour'
     GROUP BY kind, status ORDER BY kind, status`);
  return rows.map(({ kind, status, count, oldest }) => ({ kind, status, count, oldestSeconds: oldest }));
}
