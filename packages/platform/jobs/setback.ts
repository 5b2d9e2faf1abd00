import { platformErrors } from '../errors/platformErrors.ts';
import type { ProblemRecord } from '../errors/problem.ts';

/**
 * Why an attempt did not get to its end: `failed` by what the job itself did; `crashed`, because its worker is known to have ended by
 * a fault of native code; or `interrupted`, because the worker, its machine or the database went away. A process that was killed
 * leaves no sign of who was at fault, so no single such death counts against the job.
 */
export type Setback = 'failed' | 'crashed' | 'interrupted';

/** What an attempt that did not get to its end leaves to the next one. */
export interface SetbackCounts {
  /** Attempts that failed. */
  failures: number;
  /** Crashes of its worker in a row without a finished stage. */
  crashes: number;
  /** Interrupted attempts in a row without a finished stage. */
  interruptions: number;
}

export interface SetbackVerdict extends SetbackCounts {
  /** Why the job is given up; null where it is tried again. */
  abandoned: ProblemRecord | null;
  /** Wait before the next attempt, ms. */
  delayMs: number;
}

export interface RetryRules {
  /** Failed attempts, or crashes, before a job is given up. */
  maxAttempts: number;
  /** First waiting time before a repetition, ms. */
  retryMs: number;
}

const maxFailureDelayMs = 60_000;
const maxInterruptionDelayMs = 600_000;
/**
 * The bound for a job that kills its worker without leaving a sign (a crash in native code, memory). With the waits between
 * them, twenty interruptions in one and the same stage take two hours of an otherwise working installation.
 */
const maxInterruptions = 20;
/** From here on, or from its first crash on, a job is a suspect. */
export const suspectInterruptions = 3;

/** A suspect may have ended its workers. It never runs beside another suspect, so that a job is blamed for another one once at most. */
export function isSuspect({ crashes, interruptions }: Pick<SetbackCounts, 'crashes' | 'interruptions'>): boolean {
  return crashes > 0 || interruptions >= suspectInterruptions;
}

/** Decides what becomes of a job after an attempt that did not get to its end. */
export function judgeSetback(setback: Setback, before: SetbackCounts, rules: RetryRules): SetbackVerdict {
  if (setback === 'failed') {
    const failures = before.failures + 1;
    const delayMs = Math.min(rules.retryMs * 2 ** before.failures, maxFailureDelayMs);
    return { ...before, failures, delayMs, abandoned: failures >= rules.maxAttempts ? failedTooOften(failures) : null };
  }
  if (setback === 'crashed') {
    const crashes = before.crashes + 1;
    const delayMs = Math.min(rules.retryMs * 2 ** before.crashes, maxFailureDelayMs);
    return { ...before, crashes, delayMs, abandoned: crashes >= rules.maxAttempts ? crashedTooOften(crashes) : null };
  }
  const interruptions = before.interruptions + 1;
  // The first is most often a restart or an update: the job goes on at once.
  const delayMs = interruptions === 1 ? 0 : Math.min(rules.retryMs * 2 ** (interruptions - 2), maxInterruptionDelayMs);
  return { ...before, interruptions, delayMs, abandoned: interruptions >= maxInterruptions ? interruptedTooOften(interruptions) : null };
}

function failedTooOften(failures: number): ProblemRecord {
  return platformErrors.problem('job-abandoned',
    `The job failed ${failures} times by something unexpected. The log of the workers names the reason under the id of the job; ` +
    'run `vouch doctor`, then start the job again.').toRecord();
}

function crashedTooOften(crashes: number): ProblemRecord {
  return platformErrors.problem('job-abandoned',
    `The worker crashed ${crashes} times in a row while the job was in the same stage, so the job is taken for the cause. ` +
    '`vouch doctor` and the log name the crashes; change the input of the job before it is started again.').toRecord();
}

function interruptedTooOften(interruptions: number): ProblemRecord {
  return platformErrors.problem('job-abandoned',
    `The worker or the database went away ${interruptions} times in a row while the job was in the same stage, with growing waits ` +
    'between the attempts, so the job itself may end its workers, e.g. by using up the memory. Read the log of the system around ' +
    'these times, run `vouch doctor`, then start the job again.').toRecord();
}
