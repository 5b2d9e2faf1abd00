import type { Connection } from '../database/database.ts';
import type { ProblemRecord } from '../errors/problem.ts';

export type JobStatus = 'queued' | 'running' | 'completed' | 'error' | 'cancelled';

/** A row of the jobs table, as products see it. */
export interface Job {
  id: string;
  organizationId: string;
  kind: string;
  /** The thing that the job works on, named by its product, e.g. a model id. */
  subject: string;
  input: unknown;
  status: JobStatus;
  /** Name of the current stage; null before the first. */
  stage: string | null;
  /** Progress of the whole job, 0 to 1. */
  progress: number;
  /** Number of attempts so far, without those that were given back. */
  attempt: number;
  /** Consecutive interrupted attempts since the last finished stage: the worker or the database became unavailable. */
  interruptions: number;
  /** Time at which the job last began, finished a stage or reported more progress; null before the first attempt. */
  progressedAt: Date | null;
  /** `processor` if the job's processes mostly wait for a processor; null if they do not, or if it is unknown. */
  waitsFor: 'processor' | null;
  /** Time from which the next attempt of a queued job may begin. */
  runAfter: Date;
  cancelRequested: boolean;
  error: ProblemRecord | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  /** For what the job causes: the header `traceparent` of the request that created it, or of the attempt that ended it; null outside of a trace. */
  traceparent: string | null;
}

/** The interface of a running attempt. All its functions fail once the lease is lost, so a worker that lost its job cannot change the job. */
export interface JobContext {
  job: Job;
  /** Aborts on cancellation, a lost lease, shutdown, and an uncaught error of the attempt; `reason` is a JobAborted. */
  signal: AbortSignal;
  /** Folder for this attempt only; removed when the attempt ends. */
  scratch: string;
  /** Registers a process that works for the job, so that the job's row shows what this process and its descendants wait for. */
  watch(processId: number): void;
  /** Reports progress of the current stage, written with the next heartbeat. Cheap. @param fraction 0 to 1 of this stage */
  progress(fraction: number): void;
  /**
   * Runs one stage, or returns its stored result if an earlier attempt finished it.
   * @param name stage name shown in the status
   * @param work its result must be JSON; refer to blobs, not to files of the scratch folder
   * @throws JobAborted if the attempt must end
   */
  stage<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** One kind of job, implemented by a product. */
export interface JobKind {
  name: string;
  /** Stage names in order, with their shares of the whole duration. The shares add up to 1. */
  stages: readonly { name: string; share: number }[];
  /** Number of jobs of this kind that run at once in one worker process. */
  concurrency: number;
  /**
   * Number of failed attempts after which the job ends with `job-abandoned`. A Problem ends the job at the first attempt. Interrupted attempts do not
   * count.
   */
  maxAttempts: number;
  /**
   * Does the work. The returned function runs in the transaction that completes the job, and gets the completed job. A thrown Problem ends the job
   * with status `error`. After other errors, including uncaught errors in callbacks that the work started, the job is retried with backoff. If an
   * object store or a database is unavailable, the job waits for it.
   */
  run(context: JobContext): Promise<(transaction: Connection, job: Job) => Promise<void>>;
  /** Runs in the transaction that ends the job with status `error` or `cancelled`. */
  ended?(transaction: Connection, job: Job): Promise<void>;
}

/** Reason of an abort. `failed`: an uncaught error in a callback that the attempt started. */
export type AbortReason = 'cancelled' | 'lease-lost' | 'shutdown' | 'failed';

/** The reason of an aborted job signal. */
export class JobAborted extends Error {
  override readonly name = 'JobAborted';
  readonly why: AbortReason;
  constructor(why: AbortReason) {
    super(`the job was aborted: ${why}`);
    this.why = why;
  }
}

/** A job to be inserted into the queue; see Job for the fields. */
export interface EnqueueRequest {
  organizationId: string;
  kind: string;
  subject: string;
  input: unknown;
  /** Jobs with the same key run one after the other, the oldest first. */
  serialKey?: string;
  /** Header `traceparent` of the request that creates the job. */
  traceparent?: string | null;
}

/** The interface of the queue for code that creates and cancels jobs. */
export interface JobQueue {
  /** Inserts the job in the caller's transaction. Workers are woken after the commit. */
  enqueue(transaction: Connection, request: EnqueueRequest): Promise<Job>;
  /** Requests the cancellation of a job; a queued job is cancelled at once. Returns null if the organization has no such job. */
  cancel(organizationId: string, id: string): Promise<Job | null>;
  /** Returns the ids of the queued and running jobs with a serial key, the newest first. */
  listOpen(organizationId: string, serialKey: string): Promise<string[]>;
  get(organizationId: string, id: string): Promise<Job | null>;
  /** Returns the jobs with these ids, keyed by id; ids that the organization does not have are missing. */
  getAll(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Job>>;
}
