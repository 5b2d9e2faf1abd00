import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gauge, Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../database/testDatabase.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import { createLogger } from '../log/logger.ts';
import { realDoors } from '../process/doors.ts';
import type { Job, JobContext, JobKind, JobStatus } from './job.ts';
import { countJobs, jobBlobReferences, listStuckJobs } from './jobState.ts';
import { measureJobs } from './measureJobs.ts';
import { createJobQueue, type RegisteringJobQueue } from './queue.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

let database: TestDatabase;
let queue: RegisteringJobQueue;
let scratch: string;
const workers: Worker[] = [];

beforeEach(async () => {
  database = await openTestDatabase();
  await database.query('create table traces (id bigserial, text text not null)');
  queue = createJobQueue(database, realDoors);
  scratch = await mkdtemp(join(tmpdir(), 'vouch-jobs-'));
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(5_000)));
  await database.close();
  await rm(scratch, { recursive: true, force: true });
});

function kindOf(run: JobKind['run'], more: Partial<JobKind> = {}): JobKind {
  return { name: 'test', stages: [{ name: 'only', share: 1 }], concurrency: 4, maximumAttempts: 3, run, ...more };
}

async function work(kind: JobKind, more: Partial<WorkerOptions> = {}): Promise<Worker> {
  const worker = await startWorker({
    database, kinds: [kind], doors: realDoors, log: createLogger('silent'), scratch,
    leaseMs: 1_000, pollMs: 50, retryMs: 10, organizationLimit: 100, ...more,
  });
  workers.push(worker);
  return worker;
}

function enqueue(more: { kind?: string; subject?: string; serialKey?: string; organizationId?: string } = {}): Promise<Job> {
  return database.transaction((transaction) =>
    queue.enqueue(transaction, { organizationId: 'o', kind: 'test', subject: 's', input: { n: 1 }, ...more }));
}

async function until<Result>(look: () => Promise<Result | null | false>): Promise<Result> {
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== false) return seen;
    await realDoors.timers.sleep(10);
  }
}

function reached(id: string, status: JobStatus): Promise<Job> {
  return until(async () => {
    // A test that cuts connections may hit this one as well.
    const job = await queue.get('o', id).catch(() => null);
    return job?.status === status ? job : null;
  });
}

/** A run that ends only when its signal aborts, and tells when it began. */
function hanging(): { run: JobKind['run']; began: Promise<JobContext> } {
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

async function traces(): Promise<string[]> {
  const { rows } = await database.query<{ text: string }>('select text from traces order by id');
  return rows.map(({ text }) => text);
}

test('each of 60 jobs takes effect exactly once with three workers, and never runs twice at once', async () => {
  const atWork = new Set<string>();
  const kind = kindOf(async ({ job, stage }) => {
    if (atWork.has(job.id)) throw new Error('runs twice at once');
    atWork.add(job.id);
    await stage('only', () => realDoors.timers.sleep(5));
    atWork.delete(job.id);
    return async (transaction) => { await transaction.query('insert into traces (text) values ($1)', [job.id]); };
  });
  const ids = await Promise.all(Array.from({ length: 60 }, async () => (await enqueue()).id));
  await Promise.all([work(kind), work(kind), work(kind)]);
  for (const id of ids) await reached(id, 'completed');
  expect((await traces()).sort()).toEqual([...ids].sort());
});

test('an organization never has more jobs running than its limit, while another one goes on', async () => {
  let most = 0;
  let now = 0;
  const kind = kindOf(async ({ job, stage }) => {
    if (job.organizationId === 'o') most = Math.max(most, ++now);
    await stage('only', () => realDoors.timers.sleep(30));
    if (job.organizationId === 'o') now--;
    return async () => {};
  });
  const mine = await Promise.all(Array.from({ length: 8 }, () => enqueue()));
  const other = await enqueue({ organizationId: 'other' });
  await Promise.all([work(kind, { organizationLimit: 2 }), work(kind, { organizationLimit: 2 })]);
  for (const { id } of mine) await reached(id, 'completed');
  expect(most).toBe(2);
  expect((await queue.get('other', other.id))?.status).toBe('completed');
});

test('the scratch folder of an attempt is readable for nobody else, and gone after it', async () => {
  let folder = '';
  let mode = 0;
  await work(kindOf(async (context) => {
    folder = context.scratch;
    mode = (await stat(folder)).mode & 0o777;
    return async () => {};
  }));
  const { id } = await enqueue();
  await reached(id, 'completed');
  expect(mode).toBe(0o700);
  await until(async () => stat(folder).then(() => false, () => true));
});

test('the function that completes a job is given the job as it will be read', async () => {
  let given: Job | null = null;
  await work(kindOf(async ({ stage }) => {
    await stage('only', async () => null);
    return async (_transaction, job) => { given = job; };
  }));
  const { id } = await enqueue();
  const completed = await reached(id, 'completed');
  expect(given).toEqual(completed);
});

test('a worker that lost its lease can neither report, checkpoint nor complete', async () => {
  const seen: string[] = [];
  let attempts = 0;
  const outcome = { fenced: '', effect: 0 };
  const kind = kindOf(async (context) => {
    if (++attempts === 1) {
      // Another worker takes over while this one still believes in its lease.
      await database.query(`update jobs set lease_until = now() - interval '1 second' where id = $1`, [context.job.id]);
      await until(async () => attempts === 2);
      await context.stage('only', async () => 'mine').catch((error: Error) => { outcome.fenced = error.message; });
      expect(() => context.progress(1)).toThrow('lease-lost');
      return async () => { outcome.effect++; };
    }
    seen.push(await context.stage('only', async () => 'second'));
    return async (transaction) => { await transaction.query(`insert into traces (text) values ('effect')`); };
  });
  const { id } = await enqueue();
  await Promise.all([work(kind, { leaseMs: 60_000 }), work(kind, { leaseMs: 60_000 })]);
  await reached(id, 'completed');
  await until(async () => outcome.fenced !== '');
  expect(outcome).toEqual({ fenced: 'the job was aborted: lease-lost', effect: 0 });
  expect(seen).toEqual(['second']);
  expect(await traces()).toEqual(['effect']);
});

test('a job of a killed worker process is taken over and resumes at the last finished stage', async () => {
  const { id } = await enqueue({ kind: 'mortal' });
  const child = spawn(process.execPath, [
    '--import', import.meta.resolve('tsx'), new URL('./mortalWorker.fixture.ts', import.meta.url).pathname,
    database.connectionString, scratch,
  ], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  expect((await database.query(jobBlobReferences)).rows).toEqual([{ blob: `sha256-${'a'.repeat(64)}` }]);
  child.kill('SIGKILL');
  expect(await readdir(join(scratch, 'jobs'))).toHaveLength(1);
  await database.query(`update jobs set lease_until = now() - interval '1 second'`);

  let resumed: unknown;
  await work(kindOf(async (context) => {
    resumed = await context.stage('first', async () => { throw new Error('a finished stage ran again'); });
    await context.stage('second', async () => { await database.query(`insert into traces (text) values ('second here')`); });
    return async () => {};
  }, { name: 'mortal', stages: [{ name: 'first', share: 0.5 }, { name: 'second', share: 0.5 }] }));
  const job = await reached(id, 'completed');
  expect(job.attempt).toBe(2);
  expect(resumed).toEqual({ blob: `sha256-${'a'.repeat(64)}`, answer: 42 });
  expect(await traces()).toEqual(['first in the child', 'second in the child', 'second here']);
  expect((await database.query(jobBlobReferences)).rows).toEqual([]);
  await until(async () => (await readdir(join(scratch, 'jobs'))).length <= 1);
  await workers.splice(0)[0]?.stop(1_000);
  await work(kindOf(async () => async () => {}));
  expect(await readdir(join(scratch, 'jobs'))).toEqual([]);
});

test('cancelling a queued job ends it at once with its hooks, and a worker never runs it', async () => {
  const heard: string[] = [];
  const kind = kindOf(async () => { heard.push('ran'); return async () => {}; }, {
    ended: async (transaction, job) => { await transaction.query('insert into traces (text) values ($1)', [job.status]); },
    finished: async (job) => { heard.push(`finished ${job.status}`); },
  });
  queue.register([kind]);
  const { id } = await enqueue();
  expect(await queue.cancel('someone else', id)).toBeNull();
  expect(await queue.cancel('o', 'not-a-uuid')).toBeNull();
  expect((await queue.cancel('o', id))?.status).toBe('cancelled');
  expect((await queue.cancel('o', id))?.status).toBe('cancelled');
  expect(await traces()).toEqual(['cancelled']);
  await work(kind);
  await until(async () => heard.length > 0);
  expect(heard).toEqual(['finished cancelled']);
});

test('cancelling a queued job of a kind that this process does not know is left to a worker', async () => {
  const { id } = await enqueue();
  expect(await queue.cancel('o', id)).toMatchObject({ status: 'queued', cancelRequested: true });
  await work(kindOf(async () => { throw new Error('ran'); }));
  expect((await reached(id, 'cancelled')).attempt).toBe(0);
});

test('cancelling a running job aborts its signal and ends it as cancelled, even with a long lease', async () => {
  const { run, began } = hanging();
  const { id } = await enqueue();
  await work(kindOf(run), { leaseMs: 600_000, pollMs: 600_000 });
  const context = await began;
  await queue.cancel('o', id);
  expect((await reached(id, 'cancelled')).completedAt).toBeInstanceOf(Date);
  expect(String(context.signal.reason)).toContain('cancelled');
});

test('a cancel that comes before the completion wins, and the completion has no effect', async () => {
  const kind = kindOf(async ({ job }) => {
    await database.query('update jobs set cancel_requested = true where id = $1', [job.id]);
    return async (transaction) => { await transaction.query(`insert into traces (text) values ('effect')`); };
  });
  const { id } = await enqueue();
  await work(kind, { leaseMs: 60_000 });
  await reached(id, 'cancelled');
  expect(await traces()).toEqual([]);
});

test('jobs with one serial key run one after the other, oldest first, also while the oldest waits for a retry', async () => {
  const order: string[] = [];
  let now = 0;
  let failed = false;
  const kind = kindOf(async ({ job }) => {
    expect(++now).toBe(1);
    await realDoors.timers.sleep(10);
    now--;
    if (job.subject === '0' && !failed) {
      failed = true;
      throw new Error('once');
    }
    order.push(job.subject);
    return async () => {};
  });
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push((await enqueue({ subject: String(n), serialKey: 'model' })).id);
  await Promise.all([work(kind), work(kind)]);
  for (const id of ids) await reached(id, 'completed');
  expect(order).toEqual(['0', '1', '2', '3', '4', '5']);
});

test('an unexpected failure is repeated, and after the last attempt the job is abandoned', async () => {
  let attempts = 0;
  const ended: string[] = [];
  const kind = kindOf(async () => { attempts++; throw new Error('secret internals'); }, {
    ended: async (_, job) => { ended.push(job.error?.code ?? ''); },
  });
  const { id } = await enqueue();
  await work(kind);
  const job = await reached(id, 'error');
  expect(attempts).toBe(3);
  expect(job.error?.code).toBe('job-abandoned');
  expect(JSON.stringify(job.error)).not.toContain('secret');
  expect(ended).toEqual(['job-abandoned']);
});

test('a problem is final at the first attempt', async () => {
  let attempts = 0;
  const kind = kindOf(async () => { attempts++; throw platformErrors.problem('not-found', 'There is nothing.'); });
  const { id } = await enqueue();
  await work(kind);
  expect((await reached(id, 'error')).error).toMatchObject({ code: 'not-found', detail: 'There is nothing.' });
  expect(attempts).toBe(1);
});

test('a completion that fails leaves no effect and is repeated', async () => {
  let tries = 0;
  const kind = kindOf(async () => async (transaction) => {
    await transaction.query(`insert into traces (text) values ('effect')`);
    if (++tries === 1) throw new Error('in the completion');
  });
  const { id } = await enqueue();
  await work(kind);
  await reached(id, 'completed');
  expect(tries).toBe(2);
  expect(await traces()).toEqual(['effect']);
});

test('stopping a worker gives its jobs back with no attempt counted', async () => {
  const { run, began } = hanging();
  const { id } = await enqueue();
  const worker = await work(kindOf(run), { leaseMs: 600_000 });
  const context = await began;
  await worker.stop(5_000);
  expect(String(context.signal.reason)).toContain('shutdown');
  expect(await queue.get('o', id)).toMatchObject({ status: 'queued', attempt: 0 });
  expect(await readdir(join(scratch, 'jobs'))).toEqual([]);
  await work(kindOf(async () => async () => {}));
  expect((await reached(id, 'completed')).attempt).toBe(1);
});

test('the hook after the end runs although the process died before it', async () => {
  const { id } = await enqueue();
  await database.query(`update jobs set status = 'completed', completed_at = now(), finish_after = now() where id = $1`, [id]);
  const heard: string[] = [];
  await work(kindOf(async () => async () => {}, { finished: async (job) => { heard.push(job.id); } }));
  await until(async () => heard.length > 0);
  await until(async () => (await database.query('select 1 from jobs where finish_after is not null')).rowCount === 0);
  expect(heard).toEqual([id]);
});

test('a database connection lost in the middle of a job ends neither worker nor job', async () => {
  let lost = false;
  const kind = kindOf(async ({ stage }) => {
    if (!lost) {
      lost = true;
      await database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()');
    }
    await stage('only', () => database.query('select 1').then(() => 1));
    return async () => {};
  });
  const { id } = await enqueue();
  await work(kind);
  await reached(id, 'completed');
  const later = await enqueue();
  await reached(later.id, 'completed');
});

test('counts and stuck jobs are those of the table', async () => {
  await enqueue();
  const { id } = await enqueue();
  await database.query(`update jobs set run_after = now() - interval '1 hour' where id = $1`, [id]);
  expect(await countJobs(database)).toMatchObject([{ kind: 'test', status: 'queued', count: 2 }]);
  const metrics = new Registry();
  measureJobs(metrics, database, createLogger('silent'));
  const text = await metrics.metrics();
  expect(text).toContain('vouch_jobs{kind="test",status="queued"} 2');
  expect(Number(/vouch_jobs_oldest_waiting_seconds\{kind="test"\} (.*)/.exec(text)?.[1])).toBeGreaterThanOrEqual(3600);
  expect(await listStuckJobs(database)).toMatchObject([{ id, reason: 'nobody runs it' }]);
});

test('without the database the metrics of jobs are absent, and the others are answered', async () => {
  const metrics = new Registry();
  new Gauge({ name: 'other', help: 'Another one.', registers: [metrics] }).set(1);
  const broken = { query: async () => { throw new Error('no database'); } } as unknown as TestDatabase;
  measureJobs(metrics, broken, createLogger('silent'));
  const text = await metrics.metrics();
  expect(text).toContain('other 1');
  expect(text).not.toContain('vouch_jobs{');
});
