import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { TestDatabase } from './testDatabase.ts';
import { sharedTestDatabase } from './sharedTestDatabase.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import type { Job, JobContext, JobKind, JobStatus } from '../jobs/job.ts';
import { createJobQueue, type RegisteringJobQueue } from '../jobs/queue.ts';
import { startWorker, type Worker, type WorkerOptions } from '../jobs/worker.ts';

/** A queue in an empty database, with a table `traces` for effects, and workers that are stopped after each test. */
export interface TestJobs {
  database: TestDatabase;
  queue: RegisteringJobQueue;
  scratch: string;
  workers: Worker[];
  work(kind: JobKind, more?: Partial<WorkerOptions>): Promise<Worker>;
  enqueue(more?: { kind?: string; subject?: string; serialKey?: string; organizationId?: string }): Promise<Job>;
  /** Waits until a job of organization `o` has the status. */
  reached(id: string, status: JobStatus): Promise<Job>;
  traces(): Promise<string[]>;
}

/** Opens a new database, queue and scratch folder before each test of the file, and closes them afterwards. */
export function useTestJobs(): TestJobs {
  const workers: Worker[] = [];
  const jobs = { workers } as TestJobs;
  const openDatabase = sharedTestDatabase();

  beforeEach(async () => {
    jobs.database = await openDatabase();
    await jobs.database.query('CREATE TABLE traces (id bigserial, text text NOT NULL)');
    jobs.queue = createJobQueue(jobs.database, systemInterfaces);
    jobs.scratch = await mkdtemp(join(tmpdir(), 'vouch-jobs-'));
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop(5_000)));
    await jobs.database.close();
    await rm(jobs.scratch, { recursive: true, force: true });
  });

  jobs.work = async (kind, more = {}) => {
    const worker = await startWorker({
      database: jobs.database, kinds: [kind], system: systemInterfaces, log: createLogger('silent'), scratch: jobs.scratch,
      leaseMs: 1_000, pollMs: 50, retryMs: 10, organizationLimit: 100, ...more,
    });
    workers.push(worker);
    return worker;
  };
  jobs.enqueue = (more = {}) =>
    jobs.database.transaction((transaction) =>
      jobs.queue.enqueue(transaction, { organizationId: 'o', kind: 'test', subject: 's', input: { n: 1 }, ...more }));
  jobs.reached = (id, status) =>
    until(async () => {
      // A test that cuts connections may also cut this one.
      const job = await jobs.queue.get('o', id).catch(() => null);
      return job?.status === status ? job : null;
    });
  jobs.traces = async () => {
    const { rows } = await jobs.database.query<{ text: string }>('SELECT text FROM traces ORDER BY id');
    return rows.map(({ text }) => text);
  };
  return jobs;
}

/** Returns a kind with one stage, 4 concurrent jobs and 3 attempts. */
export function kindOf(run: JobKind['run'], more: Partial<JobKind> = {}): JobKind {
  return { name: 'test', stages: [{ name: 'only', share: 1 }], concurrency: 4, maxAttempts: 3, run, ...more };
}

/** Calls `look` every 10 ms until it returns a value other than null and false, and returns this value. */
export async function until<Result>(look: () => Promise<Result | null | false>): Promise<Result> {
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== false) return seen;
    await systemInterfaces.timers.sleep(10);
  }
}

/** Returns a run that ends only when its signal aborts, and a promise that resolves when the run begins. */
export function hanging(): { run: JobKind['run']; began: Promise<JobContext> } {
  let begin: (context: JobContext) => void;
  const began = new Promise<JobContext>((resolve) => { begin = resolve; });
  return {
    began,
    run: (context) => {
      begin(context);
      return new Promise((_, reject) => {
        context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
      });
    },
  };
}
