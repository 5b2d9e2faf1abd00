import { Histogram, type Registry } from 'prom-client';
import type { Job } from './job.ts';

/** How long jobs and their stages take, of the attempts that this process runs. */
export interface JobDurations {
  /** A stage that was finished and stored, by its own work alone. */
  stage(kind: string, stage: string, milliseconds: number): void;
  /** A job that has ended, from its first start to its end; waiting before repetitions included. */
  ended(job: Job): void;
}

/** Upper bounds in seconds: from a stage that only looks something up to a training of a night. */
const buckets = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];

/** Adds the histograms of trainings, runs and whatever else is a job. */
export function createJobDurations(metrics: Registry): JobDurations {
  const stages = new Histogram({
    name: 'vouch_job_stage_duration_seconds', help: 'Time that a finished stage of a job took.',
    labelNames: ['kind', 'stage'], buckets, registers: [metrics],
  });
  const jobs = new Histogram({
    name: 'vouch_job_duration_seconds', help: 'Time from the first start of a job to its end.',
    labelNames: ['kind', 'status'], buckets, registers: [metrics],
  });
  return {
    stage: (kind, stage, milliseconds) => stages.observe({ kind, stage }, Math.max(0, milliseconds) / 1_000),
    ended({ kind, status, startedAt, completedAt }) {
      if (startedAt === null || completedAt === null) return;
      jobs.observe({ kind, status }, Math.max(0, completedAt.getTime() - startedAt.getTime()) / 1_000);
    },
  };
}
