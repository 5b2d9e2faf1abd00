import { platformErrors } from '../errors/platformErrors.ts';
import type { ProblemRecord } from '../errors/problem.ts';
import { nameFault } from './nameFault.ts';

/**
 * Why an attempt did not complete: `failed`: the job's own work failed; `crashed`: its worker is known to have ended by a fault in native code;
 * `interrupted`: the worker, its machine or the database became unavailable. After a kill, the cause is unknown, so a single interruption does
 * not count against the job.
 */
export type Setback = 'failed' | 'crashed' | 'interrupted';

/** Counters that an incomplete attempt passes to the next one. */
export interface SetbackCounts {
  /** Number of failed attempts. */
  failures: number;
  /** Consecutive crashes of the job's workers since the last finished stage. */
  crashes: number;
  /** Consecutive interrupted attempts since the last finished stage. */
  interruptions: number;
}

/** The decision about a job after an attempt that did not complete, with the new counters. */
export interface SetbackVerdict extends SetbackCounts {
  /** The problem with which the job is given up; null if it is tried again. */
  abandoned: ProblemRecord | null;
  /** Delay in ms before the next attempt. */
  delayMs: number;
}

/** Limits and delays of retries. */
export interface RetryRules {
  /** Number of failed attempts, or of crashes, after which a job is given up. */
  maxAttempts: number;
  /** Delay in ms before the first retry. */
  retryMs: number;
}

const maxFailureDelayMs = 60_000;
const maxInterruptionDelayMs = 600_000;
/**
 * Upper bound for jobs whose workers die without a known cause (a crash in native code, lack of memory). With the delays between the attempts, twenty
 * interruptions in one stage take about two hours.
 */
const maxInterruptions = 20;
/** A job with at least this many interruptions, or with a crash, is a suspect. */
export const suspectInterruptions = 3;

/**
 * Returns whether a job is a suspect, i.e. may have ended its workers. Two suspects never run in one worker at once, so a job is blamed for another
 * job's crash at most once.
 */
export function isSuspect({ crashes, interruptions }: Pick<SetbackCounts, 'crashes' | 'interruptions'>): boolean {
  return crashes > 0 || interruptions >= suspectInterruptions;
}

/**
 * Decides how a job continues after an attempt that did not complete.
 * @param error the error of a failed attempt, which the problem names as far as its caller may know it
 */
export function judgeSetback(setback: Setback, before: SetbackCounts, rules: RetryRules, error: unknown = null): SetbackVerdict {
  if (setback === 'failed') {
    const failures = before.failures + 1;
    const delayMs = Math.min(rules.retryMs * 2 ** before.failures, maxFailureDelayMs);
    return { ...before, failures, delayMs, abandoned: failures >= rules.maxAttempts ? failedTooOften(failures, nameFault(error)) : null };
  }
  if (setback === 'crashed') {
    const crashes = before.crashes + 1;
    const delayMs = Math.min(rules.retryMs * 2 ** before.crashes, maxFailureDelayMs);
    return { ...before, crashes, delayMs, abandoned: crashes >= rules.maxAttempts ? crashedTooOften(crashes) : null };
  }
  const interruptions = before.interruptions + 1;
  // The first interruption is usually a restart or an update, so the job continues at once.
  const delayMs = interruptions === 1 ? 0 : Math.min(rules.retryMs * 2 ** (interruptions - 2), maxInterruptionDelayMs);
  return { ...before, interruptions, delayMs, abandoned: interruptions >= maxInterruptions ? interruptedTooOften(interruptions) : null };
}

function failedTooOften(failures: number, fault: string | null): ProblemRecord {
  return platformErrors.problem('job-abandoned',
    `The job failed ${failures} times with unexpected errors. ${fault === null ? '' : `The last time, ${fault.replace(/\.$/, '')}. `}` +
    'Run `vouch doctor` on the server and mend what it reports, then start the job again. If it fails again, report the lines ' +
    'with the id of the job in the log of the workers, with the file that `vouch support-bundle` writes.').toRecord();
}

function crashedTooOften(crashes: number): ProblemRecord {
  return platformErrors.problem('job-abandoned',
    `The worker crashed ${crashes} times in a row in the same stage of the job, so the job probably causes the crashes. ` +
    '`vouch doctor` and the log describe the crashes. Change the input before you start the job again.').toRecord();
}

function interruptedTooOften(interruptions: number): ProblemRecord {
  return platformErrors.problem('job-abandoned',
    `The worker or the database became unavailable ${interruptions} times in a row in the same stage of the job, with growing waits ` +
    'between the attempts, so the job itself may cause this, e.g. by exhausting the memory. Read the system log for ' +
    'the same times, run `vouch doctor`, then start the job again.').toRecord();
}
