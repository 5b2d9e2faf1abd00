import { Type, type Static } from 'typebox';
import type { Job } from './job.ts';

/** A running job without progress for this long is reported as waiting: one minute. */
const stillMs = 60_000;

/** Schema that describes, in the records of products, why a job makes no progress. */
export const WaitingSchema = Type.Object(
  {
    for: Type.Union([Type.Literal('processor'), Type.Literal('retry'), Type.Literal('unknown')], {
      description:
        'processor: other processes use the CPUs of the machine. retry: the next attempt, after a failure or the loss of a worker, is scheduled for later. unknown: no progress for a minute, e.g. because the network or the disk is slow.',
    }),
    since: Type.String({ format: 'date-time', description: 'Time of the last progress.' }),
    detail: Type.String(),
  },
  { title: 'Waiting', description: 'Why there is little or no progress; null during normal progress.' },
);
export type Waiting = Static<typeof WaitingSchema>;

/**
 * Describes why a started job makes no or slow progress. Null if it makes progress, has not started, or has ended.
 * @param now ms since the Unix epoch
 */
export function describeWaiting(job: Job, now: number): Waiting | null {
  const since = job.progressedAt ?? job.startedAt;
  if (since === null) return null;
  if (job.status === 'queued' && job.runAfter.getTime() > now) {
    return { for: 'retry', since: since.toISOString(), detail: `${describeInterruptions(job)}; the next attempt is scheduled for ${job.runAfter.toISOString()}.` };
  }
  if (job.status !== 'running') return null;
  const at = job.stage === null ? 'before its first stage' : `in the stage ${job.stage}`;
  if (job.waitsFor === 'processor') {
    return {
      for: 'processor', since: since.toISOString(),
      detail: `Waiting for CPU time ${at}: other processes use the CPUs of this machine.`,
    };
  }
  const stillSeconds = Math.round((now - since.getTime()) / 1_000);
  if (stillSeconds * 1_000 < stillMs) return null;
  return { for: 'unknown', since: since.toISOString(), detail: `No progress for ${stillSeconds} s ${at}.` };
}

function describeInterruptions({ interruptions }: Job): string {
  if (interruptions === 0) return 'The last attempt failed, or a required service was unavailable';
  return interruptions === 1 ? 'The worker or the database became unavailable' : `The worker or the database became unavailable ${interruptions} times in a row`;
}
