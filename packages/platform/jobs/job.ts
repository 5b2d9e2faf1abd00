import type { Connection } from '../database/database.ts';
import type { ProblemRecord } from '../errors/problem.ts';

export type JobStatus = 'queued' | 'running' | 'completed' | 'error' | 'cancelled';

/** A row of the jobs table as products see it. */
export interface Job {
  id: string;
  organizationId: string;
  kind: string;
  /** What the job works on, as its product names it; e.g. a model id. */
  subject: string;
  input: unknown;
  status: JobStatus;
  /** Name of the current stage, null before the first. */
  stage: string | null;
  /** 0 to 1 over the whole job. */
  progress: number;
  /** How often it was begun, given-back attempts left out. */
  attempt: number;
  /** Attempts in a row, without a finished stage, under which the worker or the database went away. */
  interruptions: number;
  /** When it last began, finished a stage or got further in one; null before the first attempt. */
  progressedAt: Date | null;
  /** What its processes mostly wait for; null where they work or nothing is known. */
  waitsFor: 'processor' | null;
  /** When its next attempt may begin, where it is queued. */
  runAfter: Date;
  cancelRequested: boolean;
  error: ProblemRecord | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
}

/** What a running job may do. Everything here fails once the lease is lost, so a dead worker's leftovers cannot speak. */
export interface JobContext {
  job: Job;
  /** Aborts on cancel, on a lost lease, on shutdown and on an error that nobody caught; `reason` is a JobAborted. */
  signal: AbortSignal;
  /** A folder of this attempt alone, removed afterwards. */
  scratch: string;
  /** Names a process that works for the job, so that the job's row can tell what it and its descendants wait for. */
  watch(processId: number): void;
  /** Reports progress of the current stage; cheap, written with the next heartbeat. `fraction` 0 to 1 of this stage. */
  progress(fraction: number): void;
  /**
   * Runs one stage, or returns its stored result where an earlier attempt finished it.
   * @param name stage name shown in the status
   * @param work its result must be JSON (name blobs, not files of the scratch folder)
   */
  stage<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** One kind of job. */
export interface JobKind {
  name: string;
  /** Stage names in order with their share of the whole duration; shares add up to 1. */
  stages: readonly { name: string; share: number }[];
  /** How many run at once in one worker process. */
  concurrency: number;
  /** Failed attempts before `job-abandoned`; an attempt that fails with a Problem is final at once, an interrupted one does not count. */
  maxAttempts: number;
  /**
   * Does the work. The function it returns is run in the transaction that completes the job, under its fence, with the
   * job as completed.
   * A thrown Problem ends the job with status error; other errors are retried with backoff, also those that nobody catches in
   * a callback that it started; an object store or a database that is away is waited for.
   */
  run(context: JobContext): Promise<(transaction: Connection, job: Job) => Promise<void>>;
  /** Runs in the transaction that ends the job without success (error or cancelled). */
  ended?(transaction: Connection, job: Job): Promise<void>;
}

/** `failed`: an error in one of its callbacks, which nobody caught. */
export type AbortReason = 'cancelled' | 'lease-lost' | 'shutdown' | 'failed';

/** Why a job's signal aborted. */
export class JobAborted extends Error {
  override readonly name = 'JobAborted';
  readonly why: AbortReason;
  constructor(why: AbortReason) {
    super(`the job was aborted: ${why}`);
    this.why = why;
  }
}

export interface EnqueueRequest {
  organizationId: string;
  kind: string;
  subject: string;
  input: unknown;
  /** Jobs with the same key run one after the other, oldest first. */
  serialKey?: string;
}

/** The producer side of the queue. */
export interface JobQueue {
  /** Inserts the job inside the caller's transaction; workers are woken after its commit. */
  enqueue(transaction: Connection, request: EnqueueRequest): Promise<Job>;
  /** Asks a job to stop; a queued one is cancelled at once. Returns null where the organization has no such job. */
  cancel(organizationId: string, id: string): Promise<Job | null>;
  /** Ids of the jobs with a serial key that run or wait, the newest first. */
  listOpen(organizationId: string, serialKey: string): Promise<string[]>;
  get(organizationId: string, id: string): Promise<Job | null>;
}
