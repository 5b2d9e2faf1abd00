import { Histogram, type Registry } from 'prom-client';
import type { Job } from './job.ts';

/** Records durations of jobs and stages, for the attempts that this process runs. */
export interface JobDurations {
  /** Records a finished and stored stage, without waiting times. */
  stage(kind: string, stage: string, milliseconds: number): void;
  /** Records an ended job, from its first start to its end, including waiting times between attempts. */
  ended(job: Job): void;
}

/** Upper bounds of the buckets in seconds, from a stage with a single lookup to a training of 8 hours. */
const buckets = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];

/** Adds the histograms of job and stage durations. */
export function createJobDurations(metrics: Registry): JobDurations {
  const stages = new Histogram({
    name: 'vouch_job_stage_duration_seconds', help: 'Seconds that a finished stage of a job took.',
    labelNames: ['kind', 'stage'], buckets, registers: [metrics],
  });
  const jobs = new Histogram({
    name: 'vouch_job_duration_seconds', help: 'Seconds from the first start of a job to its end.',
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
