import { rm } from 'node:fs/promises';
import { isStoreAway } from '../blobs/storeFault.ts';
import { isDatabaseAway } from '../database/databaseErrors.ts';
import type { Database } from '../database/database.ts';
import { Problem } from '../errors/problem.ts';
import { keepLease } from '../lease/keepLease.ts';
import type { Logger } from '../log/logger.ts';
import { isCrashing, ownUncaught } from '../process/containUncaught.ts';
import { elapsedMs, type Doors } from '../process/doors.ts';
import { makeScratch, scratchFolder } from './attemptScratch.ts';
import { endJob, type JobEnd } from './endJob.ts';
import { JobAborted, type Job, type JobContext, type JobKind } from './job.ts';
import { toJob, wakeChannel, type JobRow } from './jobRow.ts';
import type { JobDurations } from './jobDurations.ts';
import { createProgress } from './progress.ts';
import { judgeSetback, type Setback, type SetbackCounts } from './setback.ts';
import { watchProcesses } from './watchProcesses.ts';

export interface Attempt {
  /** Resolves when everything of the attempt has ended; never rejects. */
  done: Promise<void>;
  /** Asks the table at once whether the job is to be cancelled. */
  beat(): void;
  /** Aborts the work and puts the job back into the queue, as if this attempt had not been. */
  giveBack(): Promise<void>;
}

export interface AttemptOptions {
  database: Database;
  doors: Doors;
  log: Logger;
  kind: JobKind;
  row: JobRow;
  fence: string;
  leaseMs: number;
  /** First waiting time before a repetition; doubles with each attempt up to a minute. */
  retryMs: number;
  /** Folder for scratch folders of attempts. */
  scratch: string;
  durations?: JobDurations | undefined;
}

/** How long after its start a job waits for an object store that is away, and its waiting time in those of a first repetition. */
const storePatienceMs = 24 * 3_600_000;
const storeWait = 15;
const storeWaitMsMax = 60_000;
/** How long a job that is given back, or failed beside its own work, may take to stop that work before others may have it. */
const unwindMs = 2_000;

/** Runs one attempt of a claimed job: heartbeat, stages, completion. Every write is conditioned on the fence. */
export function runJob(options: AttemptOptions): Attempt {
  const { database, doors, kind, row, fence, leaseMs } = options;
  const log = options.log.child({ job: row.id, kind: kind.name, attempt: row.attempt });
  const abort = new AbortController();
  const ended = new AbortController();
  const scratch = scratchFolder(options.scratch, row.id, fence);
  const progress = createProgress(kind, row.progress);
  const processes = watchProcesses();
  const stop = (why: JobAborted['why']): void => abort.abort(new JobAborted(why));
  let wake = new AbortController();
  const startedAt = row.started_at?.getTime() ?? doors.clock.now();
  const leasedAt = elapsedMs();
  let returned: Promise<void> | null = null;
  let setbacks: SetbackCounts = { failures: row.failures, crashes: row.crashes, interruptions: row.interruptions };
  let fallBack: (error: unknown) => void = () => {};
  const fallen = new Promise<never>((_resolve, reject) => { fallBack = reject; });
  fallen.catch(() => {});

  async function heartbeat(): Promise<void> {
    const how = await keepLease({
      holdMs: leaseMs, timers: doors.timers, elapsedMs, sinceMs: leasedAt, ended: ended.signal,
      async rest(remainingMs) {
        await doors.timers.sleep(Math.min(leaseMs / 3, remainingMs), wake.signal);
        wake = new AbortController();
      },
      async renew() {
        const answer = await extendLease();
        if (answer === 'cancel' && !ended.signal.aborted) stop('cancelled');
        return answer === 'lost' ? 'lost' : 'renewed';
      },
      onFailure: (error) => log.warn({ reason: (error as Error).message }, 'the heartbeat of a job failed'),
    });
    if (how === 'lost') stop('lease-lost');
  }

  async function extendLease(): Promise<'extended' | 'cancel' | 'lost'> {
    const { rows } = await database.query<{ cancel_requested: boolean }>(
      `update jobs set stage = coalesce($3, stage), progress = greatest(progress, $4),
         progressed_at = case when $4 > progress then now() else progressed_at end, waits_for = $6,
         lease_until = now() + make_interval(secs => $5)
       where id = $1 and fence = $2 returning cancel_requested`,
      [row.id, fence, progress.stage, progress.total, leaseMs / 1_000, processes.look()]);
    if (rows[0] === undefined) return 'lost';
    return rows[0].cancel_requested ? 'cancel' : 'extended';
  }

  async function stage<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    abort.signal.throwIfAborted();
    progress.enter(name);
    if (Object.hasOwn(row.checkpoints, name)) {
      progress.leave(name);
      return row.checkpoints[name] as Result;
    }
    await saveProgress();
    const began = doors.clock.now();
    const result = await work();
    const took = doors.clock.now() - began;
    abort.signal.throwIfAborted();
    progress.leave(name);
    const stored = JSON.stringify(result ?? null);
    const { rowCount } = await database.query(
      `update jobs set checkpoints = checkpoints || jsonb_build_object($3::text, $4::jsonb), progress = greatest(progress, $5),
         crashes = 0, interruptions = 0, progressed_at = now()
       where id = $1 and fence = $2`, [row.id, fence, name, stored, progress.total]);
    if (rowCount === 0) throw loseLease();
    setbacks = { ...setbacks, crashes: 0, interruptions: 0 };
    options.durations?.stage(kind.name, name, took);
    // The same value that a later attempt would read.
    return JSON.parse(stored) as Result;
  }

  async function saveProgress(): Promise<void> {
    const { rowCount } = await database.query(
      'update jobs set stage = $3, progress = greatest(progress, $4), progressed_at = now() where id = $1 and fence = $2',
      [row.id, fence, progress.stage, progress.total]);
    if (rowCount === 0) throw loseLease();
  }

  function loseLease(): Error {
    stop('lease-lost');
    return abort.signal.reason as Error;
  }

  async function work(): Promise<void> {
    await makeScratch(options.scratch, row.id, fence);
    const context: JobContext = {
      job: toJob(row), signal: abort.signal, scratch, stage,
      watch: (processId) => processes.add(processId),
      progress(fraction) {
        abort.signal.throwIfAborted();
        progress.within(fraction);
      },
    };
    const complete = await runOwned(context);
    abort.signal.throwIfAborted();
    const job = await database.transaction(async (transaction) => {
      const completed = await endJob(transaction, kind, row.id, { status: 'completed' }, { fence });
      if (completed === null) return null;
      await complete(transaction, completed);
      return completed;
    });
    if (job !== null) return finish(job);
    await settleUnfinished();
  }

  /** What the kind does, or the error that one of its callbacks threw, whose promises may then never settle. */
  async function runOwned(context: JobContext): ReturnType<JobKind['run']> {
    const running = kind.run(context);
    const settled = running.then(() => {}, () => {});
    try {
      return await Promise.race([running, fallen]);
    } catch (error) {
      if (abort.signal.aborted && isFall(abort.signal.reason)) await Promise.race([settled, doors.timers.sleep(unwindMs, ended.signal)]);
      throw error;
    }
  }

  /** An error that nobody caught in a timer, a socket or the like that this attempt began. */
  function hearUncaught(error: unknown): void {
    log.error({ err: error }, 'an error of a job was caught by nobody');
    if (abort.signal.aborted || ended.signal.aborted) return;
    stop('failed');
    fallBack(error);
  }

  /** The completion was refused: a cancel came first, or the job is somebody else's. */
  async function settleUnfinished(): Promise<void> {
    if ((await extendLease()) === 'cancel') stop('cancelled');
    else stop('lease-lost');
    throw abort.signal.reason as Error;
  }

  async function finish(job: Job): Promise<void> {
    options.durations?.ended(job);
    await runFinished(database, kind, job, log);
  }

  async function end(how: JobEnd): Promise<void> {
    const job = await database.transaction((transaction) => endJob(transaction, kind, row.id, how, { fence }));
    if (job !== null) await finish(job);
  }

  async function fail(error: unknown): Promise<void> {
    if (abort.signal.aborted && !isFall(abort.signal.reason)) {
      const { why } = abort.signal.reason as JobAborted;
      if (why === 'cancelled') return end({ status: 'cancelled' });
      if (why === 'shutdown') return release();
      log.warn('the job was lost to another worker or to an unreachable database');
      return;
    }
    if (error instanceof Problem && error.status !== 503) return end({ status: 'error', error: error.toRecord() });
    // No attempt is counted: that the store is away says nothing of the job, and may last longer than all its attempts.
    if (isStoreAway(error) && doors.clock.now() - startedAt < storePatienceMs) {
      log.warn({ err: error }, 'the object store cannot be reached; the job waits for it');
      return requeue(Math.min(options.retryMs * storeWait, storeWaitMsMax) * jitter(), { refunded: true });
    }
    log.error({ err: error }, 'an attempt of a job failed');
    await setBack(isDatabaseAway(error) ? 'interrupted' : 'failed', error);
  }

  async function setBack(setback: Setback, error: unknown): Promise<void> {
    const { abandoned, delayMs, ...counts } = judgeSetback(setback, setbacks, { maximumAttempts: kind.maximumAttempts, retryMs: options.retryMs });
    if (abandoned !== null) return end({ status: 'error', error: error instanceof Problem ? error.toRecord() : abandoned });
    setbacks = counts;
    await requeue(delayMs * jitter(), { refunded: false });
  }

  /** Gives the job to others because this process ends: in order, or by an error that may be this job's or may not. */
  async function release(): Promise<void> {
    if (isCrashing()) return setBack('interrupted', null);
    await requeue(0, { refunded: true });
  }

  function jitter(): number {
    return 0.5 + doors.random.fraction() / 2;
  }

  /** @param refunded whether the job stands as if this attempt had not been */
  async function requeue(afterMs: number, { refunded }: { refunded: boolean }): Promise<void> {
    await database.query(
      `with requeued as (
         update jobs set status = 'queued', fence = null, lease_until = null, waits_for = null, attempt = attempt - $4,
           failures = $6, interruptions = $7, run_after = now() + make_interval(secs => $3)
         where id = $1 and fence = $2 returning kind)
       select pg_notify($5, kind) from requeued`,
      [row.id, fence, afterMs / 1_000, refunded ? 1 : 0, wakeChannel, setbacks.failures, setbacks.interruptions]);
  }

  async function attempt(): Promise<void> {
    const beating = heartbeat();
    try {
      await work();
    } catch (error) {
      await fail(error).catch((failure: unknown) => {
        log.warn({ reason: (failure as Error).message }, 'the end of an attempt could not be recorded; its lease will run out');
      });
    } finally {
      ended.abort();
      wake.abort();
      await beating;
      await rm(scratch, { recursive: true, force: true }).catch((error: unknown) => {
        log.warn({ reason: (error as Error).message }, 'a scratch folder could not be removed');
      });
    }
  }

  const done = ownUncaught(hearUncaught, attempt);
  return {
    done,
    beat: () => wake.abort(),
    giveBack() {
      stop('shutdown');
      returned ??= Promise.race([done, doors.timers.sleep(unwindMs, ended.signal)]).then(release);
      return returned;
    },
  };
}

function isFall(reason: unknown): boolean {
  return reason instanceof JobAborted && reason.why === 'failed';
}

/** Runs the hook after the end and notes that it has run. A failure is left to the sweep. */
export async function runFinished(database: Database, kind: JobKind, job: Job, log: Logger): Promise<void> {
  if (kind.finished === undefined) return;
  try {
    await kind.finished(job);
    await database.query('update jobs set finish_after = null where id = $1', [job.id]);
  } catch (error) {
    log.error({ err: error, job: job.id }, 'the hook after the end of a job failed and will be repeated');
  }
}
