import type { ProblemRecord } from '../errors/problem.ts';
import type { Job, JobStatus } from './job.ts';

/** A row of the jobs table as PostgreSQL returns it. */
export interface JobRow {
  id: string;
  number: string;
  organization_id: string;
  kind: string;
  subject: string;
  input: unknown;
  status: JobStatus;
  stage: string | null;
  progress: number;
  attempt: number;
  failures: number;
  crashes: number;
  worker: string | null;
  interruptions: number;
  fence: string | null;
  cancel_requested: boolean;
  checkpoints: Record<string, unknown>;
  error: ProblemRecord | null;
  created_at: Date;
  started_at: Date | null;
  progressed_at: Date | null;
  waits_for: 'processor' | null;
  run_after: Date;
  completed_at: Date | null;
  traceparent: string | null;
}

/** Channel that wakes workers with free capacity; the payload is a kind. */
export const wakeChannel = 'vouch_jobs';
/** Channel that tells workers to check for cancellations; the payload is a job id. */
export const cancelChannel = 'vouch_jobs_cancel';

/** Converts a row of the jobs table to the form that products see. */
export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    subject: row.subject,
    input: row.input,
    status: row.status,
    stage: row.stage,
    progress: row.progress,
    attempt: row.attempt,
    interruptions: row.interruptions,
    progressedAt: row.progressed_at,
    waitsFor: row.waits_for,
    runAfter: row.run_after,
    cancelRequested: row.cancel_requested,
    error: row.error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    traceparent: row.traceparent,
  };
}
