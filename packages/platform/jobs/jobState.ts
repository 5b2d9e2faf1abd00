import type { Connection } from '../database/database.ts';
import type { JobStatus } from './job.ts';
import { suspectInterruptions } from './setback.ts';

/**
 * SQL that returns one text column: the blobs that queued and running jobs name in their inputs or in the results of their finished stages. The
 * collection must keep these blobs.
 */
export const jobBlobReferences = `
  select jsonb_path_query(jsonb_build_array(input, checkpoints),
    'strict $.** ? (@ like_regex "^sha256-[0-9a-f]{64}$")') #>> '{}' as blob
  from jobs where status in ('queued', 'running')`;

/** A job that needs the operator's attention. */
export interface StuckJob {
  id: string;
  organizationId: string;
  kind: string;
  subject: string;
  reason:
    | 'nobody runs it' | 'its worker died and nobody took it over'
    | 'it waits for the processor' | 'it makes no progress' | 'its workers go away';
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
    `select id, organization_id, kind, subject, stage, 'nobody runs it' as reason,
       extract(epoch from now() - run_after)::float8 as seconds
     from jobs as waiting
     where status = 'queued' and run_after < now() - interval '10 minutes'
       and not exists (select 1 from jobs as other where other.kind = waiting.kind and other.status = 'running')
     union all
     select id, organization_id, kind, subject, stage, 'its worker died and nobody took it over',
       extract(epoch from now() - lease_until)::float8
     from jobs where status = 'running' and lease_until < now() - interval '1 minute'
     union all
     select id, organization_id, kind, subject, stage,
       case waits_for when 'processor' then 'it waits for the processor' else 'it makes no progress' end,
       extract(epoch from now() - progressed_at)::float8
     from jobs where status = 'running' and lease_until >= now() and progressed_at < now() - interval '5 minutes'
     union all
     select id, organization_id, kind, subject, stage, 'its workers go away', extract(epoch from now() - progressed_at)::float8
     from jobs where status = 'queued' and interruptions >= ${suspectInterruptions}
     order by seconds desc limit 100`);
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
    `select kind, status, count(*)::int as count,
       coalesce(max(extract(epoch from now() - run_after)) filter (where status = 'queued' and run_after <= now()), 0)::float8
         as oldest
     from jobs
     where status in ('queued', 'running') or completed_at > now() - interval '1 hour'
     group by kind, status order by kind, status`);
  return rows.map(({ kind, status, count, oldest }) => ({ kind, status, count, oldestSeconds: oldest }));
}
