import { rm } from 'node:fs/promises';
import type { Tracer } from '@opentelemetry/api';
import { isStoreAway } from '../blobs/storeFault.ts';
import { isDatabaseAway } from '../database/databaseErrors.ts';
import type { Database } from '../database/database.ts';
import { Problem } from '../errors/problem.ts';
import { keepLease } from '../lease/keepLease.ts';
import type { Logger } from '../log/logger.ts';
import { isCrashing, ownUncaught } from '../process/containUncaught.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { AttemptRow } from './attemptRow.ts';
import { makeScratch, scratchFolder } from './attemptScratch.ts';
import { AttemptTrace } from './attemptTrace.ts';
import { endJob, type JobEnd } from './endJob.ts';
import { JobAborted, type Job, type JobContext, type JobKind } from './job.ts';
import { toJob, type JobRow } from './jobRow.ts';
import type { JobDurations } from './jobDurations.ts';
import { createProgress, type Progress } from './progress.ts';
import { judgeSetback, type Setback, type SetbackCounts } from './setback.ts';
import { watchProcesses } from './watchProcesses.ts';

/** A running attempt. */
export interface Attempt {
  /** Resolves when all work of the attempt has ended; never rejects. */
  readonly done: Promise<void>;
  /** Checks at once whether the job's cancellation was requested. */
  beat(): void;
  /** Aborts the work and puts the job back into the queue, without counting this attempt. */
  giveBack(): Promise<void>;
}

export interface AttemptOptions {
  database: Database;
  system: SystemInterfaces;
  log: Logger;
  kind: JobKind;
  row: JobRow;
  fence: string;
  leaseMs: number;
  /** Time before the claim was sent, by `system.elapsedMs`. The lease in the database cannot begin earlier. */
  leasedAt: number;
  /** Delay in ms before the first retry. Doubles with each failure, up to one minute. */
  retryMs: number;
  /** Folder that contains the scratch folders of attempts. */
  scratch: string;
  durations?: JobDurations | undefined;
  tracer: Tracer;
}

/**
 * A job waits for an unavailable object store for up to 24 hours after its first start. The delay of one wait is 15 times `retryMs`, up to
 * `maxStoreWaitMs`.
 */
const storePatienceMs = 24 * 3_600_000;
const storeWait = 15;
const maxStoreWaitMs = 60_000;
/** Time in ms that a given-back job, or a job with an uncaught error, gets to stop its work before other workers may take it. */
const unwindMs = 2_000;

/** Runs one attempt of a claimed job: heartbeat, stages, completion. All writes are conditioned on the fence. */
export function runJob(options: AttemptOptions): Attempt {
  return new RunningAttempt(options);
}

class RunningAttempt implements Attempt {
  readonly done: Promise<void>;
  readonly #options: AttemptOptions;
  readonly #log: Logger;
  readonly #row: AttemptRow;
  readonly #trace: AttemptTrace;
  readonly #progress: Progress;
  readonly #scratch: string;
  readonly #startedAt: number;
  readonly #processes = watchProcesses();
  readonly #abort = new AbortController();
  readonly #ended = new AbortController();
  /** Aborting this controller wakes the heartbeat. */
  #wake = new AbortController();
  #setbacks: SetbackCounts;
  #returned: Promise<void> | null = null;
  /** Rejects with the first uncaught error in a callback of this attempt. The promises of the attempt may then never settle. */
  readonly #fallen: Promise<never>;
  #fallBack: (error: unknown) => void = () => {};

  constructor(options: AttemptOptions) {
    const { database, system, kind, row, fence, tracer } = options;
    this.#options = options;
    this.#trace = new AttemptTrace(tracer, row);
    this.#log = options.log.child({ job: row.id, kind: kind.name, attempt: row.attempt, ...this.#trace.bindings });
    this.#row = new AttemptRow(database, row.id, fence);
    this.#progress = createProgress(kind, row.progress);
    this.#scratch = scratchFolder(options.scratch, row.id, fence);
    this.#startedAt = row.started_at?.getTime() ?? system.clock.now();
    this.#setbacks = { failures: row.failures, crashes: row.crashes, interruptions: row.interruptions };
    this.#fallen = new Promise<never>((_resolve, reject) => { this.#fallBack = reject; });
    this.#fallen.catch(() => {});
    this.done = ownUncaught((error) => this.#hearUncaught(error), () => this.#run());
  }

  beat(): void {
    this.#wake.abort();
  }

  giveBack(): Promise<void> {
    this.#stop('shutdown');
    this.#returned ??= Promise.race([this.done, this.#options.system.timers.sleep(unwindMs, this.#ended.signal)]).then(() => this.#release());
    return this.#returned;
  }

  async #run(): Promise<void> {
    const beating = this.#heartbeat();
    try {
      await this.#work();
    } catch (error) {
      await this.#fail(error).catch((failure: unknown) => {
        this.#log.warn({ reason: (failure as Error).message }, 'could not record the end of a job attempt; its lease will expire');
      });
    } finally {
      this.#ended.abort();
      this.#wake.abort();
      await beating;
      this.#trace.end();
      await rm(this.#scratch, { recursive: true, force: true }).catch((error: unknown) => {
        this.#log.warn({ reason: (error as Error).message }, 'could not remove a scratch folder');
      });
    }
  }

  async #heartbeat(): Promise<void> {
    const { system, leaseMs, leasedAt } = this.#options;
    const how = await keepLease({
      holdMs: leaseMs, timers: system.timers, elapsedMs: system.elapsedMs, sinceMs: leasedAt, ended: this.#ended.signal,
      rest: async (remainingMs) => {
        await system.timers.sleep(Math.min(leaseMs / 3, remainingMs), this.#wake.signal);
        this.#wake = new AbortController();
      },
      renew: async () => {
        const answer = await this.#extendLease();
        if (answer === 'cancel' && !this.#ended.signal.aborted) this.#stop('cancelled');
        return answer === 'lost' ? 'lost' : 'renewed';
      },
      onFailure: (error) => this.#log.warn({ reason: (error as Error).message }, 'the heartbeat of a job failed'),
    });
    if (how === 'lost') this.#stop('lease-lost');
  }

  #extendLease(): Promise<'extended' | 'cancel' | 'lost'> {
    return this.#row.extendLease(this.#options.leaseMs, this.#progress, this.#processes.look());
  }

  async #work(): Promise<void> {
    const { database, kind, row, fence, scratch } = this.#options;
    await makeScratch(scratch, row.id, fence);
    const complete = await this.#runKind();
    this.#abort.signal.throwIfAborted();
    const job = await database.transaction(async (transaction) => {
      const completed = await endJob(transaction, kind, row.id, { status: 'completed' }, { fence, traceparent: this.#trace.traceparent });
      if (completed !== null) await complete(transaction, completed);
      return completed;
    });
    if (job !== null) return this.#recordEnd(job);
    // The completion was rejected: a cancellation was requested first, or another worker holds the job.
    this.#stop((await this.#extendLease()) === 'cancel' ? 'cancelled' : 'lease-lost');
    throw this.#abort.signal.reason as Error;
  }

  /** Runs the work of the kind. Also rejects with an uncaught error of one of its callbacks. */
  async #runKind(): ReturnType<JobKind['run']> {
    const { kind, system } = this.#options;
    const running = kind.run(this.#context());
    const settled = running.then(() => {}, () => {});
    try {
      return await Promise.race([running, this.#fallen]);
    } catch (error) {
      if (this.#hasFallen()) await Promise.race([settled, system.timers.sleep(unwindMs, this.#ended.signal)]);
      throw error;
    }
  }

  #context(): JobContext {
    return {
      job: toJob(this.#options.row), signal: this.#abort.signal, scratch: this.#scratch,
      stage: (name, work) => this.#stage(name, work),
      watch: (processId) => {
        this.#trace.process(processId);
        this.#processes.add(processId);
      },
      progress: (fraction) => {
        this.#abort.signal.throwIfAborted();
        this.#progress.within(fraction);
      },
    };
  }

  async #stage<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const { system, durations, kind, row } = this.#options;
    this.#abort.signal.throwIfAborted();
    this.#progress.enter(name);
    if (Object.hasOwn(row.checkpoints, name)) {
      this.#progress.leave(name);
      return row.checkpoints[name] as Result;
    }
    if (!(await this.#row.saveProgress(this.#progress))) throw this.#loseLease();
    const began = system.elapsedMs();
    const result = await this.#trace.stage(name, work);
    const took = system.elapsedMs() - began;
    this.#abort.signal.throwIfAborted();
    this.#progress.leave(name);
    const stored = JSON.stringify(result ?? null);
    if (!(await this.#row.saveStage(name, stored, this.#progress))) throw this.#loseLease();
    this.#setbacks = { ...this.#setbacks, crashes: 0, interruptions: 0 };
    durations?.stage(kind.name, name, took);
    // Returns the same value that a later attempt would read.
    return JSON.parse(stored) as Result;
  }

  /** Receives an uncaught error from a timer, a socket or another callback that this attempt started. */
  #hearUncaught(error: unknown): void {
    this.#log.error({ err: error }, 'uncaught error of a job');
    if (this.#abort.signal.aborted || this.#ended.signal.aborted) return;
    this.#stop('failed');
    this.#fallBack(error);
  }

  /** Decides how the job continues after an error or an abort of this attempt. */
  async #fail(error: unknown): Promise<void> {
    const { system, retryMs } = this.#options;
    if (this.#abort.signal.aborted && !this.#hasFallen()) return this.#endAborted((this.#abort.signal.reason as JobAborted).why);
    if (error instanceof Problem && error.status !== 503) return this.#end({ status: 'error', error: error.toRecord() });
    // The attempt is not counted: an unavailable store is not a fault of the job, and can last longer than all attempts.
    if (isStoreAway(error) && system.clock.now() - this.#startedAt < storePatienceMs) {
      this.#log.warn({ err: error }, 'the object store is unavailable; the job waits');
      return this.#requeue(Math.min(retryMs * storeWait, maxStoreWaitMs) * this.#jitter(), { refunded: true });
    }
    this.#log.error({ err: error }, 'an attempt of a job failed');
    await this.#setBack(isDatabaseAway(error) ? 'interrupted' : 'failed', error);
  }

  async #endAborted(why: JobAborted['why']): Promise<void> {
    if (why === 'cancelled') return this.#end({ status: 'cancelled' });
    if (why === 'shutdown') return this.#release();
    this.#log.warn('the job was lost, to another worker or because the database is unavailable');
  }

  async #setBack(setback: Setback, error: unknown): Promise<void> {
    const { kind, retryMs } = this.#options;
    const { abandoned, delayMs, ...counts } = judgeSetback(setback, this.#setbacks, { maxAttempts: kind.maxAttempts, retryMs }, error);
    if (abandoned !== null) return this.#end({ status: 'error', error: error instanceof Problem ? error.toRecord() : abandoned });
    this.#setbacks = counts;
    await this.#requeue(delayMs * this.#jitter(), { refunded: false });
  }

  /** Puts the job back into the queue because this process ends: normally, or by an uncaught error that this job may or may not have caused. */
  async #release(): Promise<void> {
    if (isCrashing()) return this.#setBack('interrupted', null);
    await this.#requeue(0, { refunded: true });
  }

  async #end(how: JobEnd): Promise<void> {
    const { database, kind, row, fence } = this.#options;
    const job = await database.transaction((transaction) => endJob(transaction, kind, row.id, how, { fence, traceparent: this.#trace.traceparent }));
    if (job !== null) this.#recordEnd(job);
  }

  #recordEnd(job: Job): void {
    if (job.status !== 'queued' && job.status !== 'running') this.#trace.outcome = job.status;
    this.#options.durations?.ended(job);
  }

  #requeue(afterMs: number, counted: { refunded: boolean }): Promise<void> {
    this.#trace.outcome = 'requeued';
    return this.#row.requeue(afterMs, this.#setbacks, counted);
  }

  #jitter(): number {
    return 0.5 + this.#options.system.random.fraction() / 2;
  }

  #stop(why: JobAborted['why']): void {
    this.#abort.abort(new JobAborted(why));
  }

  #loseLease(): Error {
    this.#stop('lease-lost');
    return this.#abort.signal.reason as Error;
  }

  /** Returns whether an uncaught error aborted the attempt. */
  #hasFallen(): boolean {
    const { aborted, reason } = this.#abort.signal;
    return aborted && reason instanceof JobAborted && reason.why === 'failed';
  }
}
