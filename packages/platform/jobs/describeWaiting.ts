import { Type, type Static } from 'typebox';
import type { Job } from './job.ts';

/** A running job without progress for this long is reported as waiting: one minute. */
const stillMs = 60_000;

/** Schema that describes, in the records of products, why a job makes no progress. */
export const WaitingSchema = Type.Object(
  {
    for: Type.Union([Type.Literal('processor'), Type.Literal('retry'), Type.Literal('unknown')], {
      description:
        'processor: other processes use the processors of the machine. retry: the next attempt after a failure or a lost worker is due at a later time. unknown: no progress for a minute, e.g. because the network or the disk is slow.',
    }),
    since: Type.String({ format: 'date-time', description: 'When it last got further.' }),
    detail: Type.String(),
  },
  { description: 'Why it does not get further, or only slowly; null while it does.' },
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
    return { for: 'retry', since: since.toISOString(), detail: `${describeInterruptions(job)}; the next attempt is due at ${job.runAfter.toISOString()}.` };
  }
  if (job.status !== 'running') return null;
  const at = job.stage === null ? 'before its first stage' : `in the stage ${job.stage}`;
  if (job.waitsFor === 'processor') {
    return {
      for: 'processor', since: since.toISOString(),
      detail: `Waiting for the processor ${at}: other processes use the processors of this machine.`,
    };
  }
  const stillSeconds = Math.round((now - since.getTime()) / 1_000);
  if (stillSeconds * 1_000 < stillMs) return null;
  return { for: 'unknown', since: since.toISOString(), detail: `No progress for ${stillSeconds} s ${at}.` };
}

function describeInterruptions({ interruptions }: Job): string {
  if (interruptions === 0) return 'The last attempt failed, or a service that it needs was away';
  return interruptions === 1 ? 'The worker or the database went away' : `The worker or the database went away ${interruptions} times in a row`;
}
