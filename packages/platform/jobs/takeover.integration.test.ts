import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { claimJob } from './claimJob.ts';
import { jobBlobReferences } from './jobState.ts';
import { hanging, kindOf, until, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

test('a worker that lost its lease can neither report, checkpoint nor complete', async () => {
  const seen: string[] = [];
  let attempts = 0;
  const outcome = { fenced: '', effect: 0 };
  const kind = kindOf(async (context) => {
    if (++attempts === 1) {
      // Another worker takes the job over while this one still considers its lease valid.
      await jobs.database.query(`UPDATE jobs SET lease_until = now() - interval '1 second' WHERE id = $1`, [context.job.id]);
      await until(async () => attempts === 2);
      await context.stage('only', async () => 'mine').catch((error: Error) => { outcome.fenced = error.message; });
      expect(() => context.progress(1)).toThrow('lease-lost');
      return async () => { outcome.effect++; };
    }
    seen.push(await context.stage('only', async () => 'second'));
    return async (transaction) => { await transaction.query(`INSERT INTO traces (text) VALUES ('effect')`); };
  });
  const { id } = await jobs.enqueue();
  await Promise.all([jobs.work(kind, { leaseMs: 60_000 }), jobs.work(kind, { leaseMs: 60_000 })]);
  await jobs.reached(id, 'completed');
  await until(async () => outcome.fenced !== '');
  expect(outcome).toEqual({ fenced: 'the job was aborted: lease-lost', effect: 0 });
  expect(seen).toEqual(['second']);
  expect(await jobs.traces()).toEqual(['effect']);
});

test('a worker that is lost in the middle of a claim holds up the claims of others for two seconds at most', async () => {
  let limit: string | undefined;
  const over = new AbortController();
  const lost: Database = {
    ...jobs.database,
    transaction: (work) => jobs.database.transaction(({ query }) => work({
      query: async (sql, values) => {
        await query(sql, values);
        const { rows: [row] } = await query<{ idle_in_transaction_session_timeout: string }>('SHOW idle_in_transaction_session_timeout');
        limit = row?.idle_in_transaction_session_timeout;
        await once(over.signal, 'abort');
        throw new Error('lost');
      },
    })),
  };
  const kind = kindOf(async () => async () => {});
  const claim = claimJob(lost, { kind, fence: randomUUID(), leaseMs: 60_000, organizationLimit: 1, besideSuspect: false, worker: 'lost' });
  await until(async () => limit !== undefined);
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  await jobs.reached(id, 'completed');
  over.abort();
  await expect(claim).rejects.toThrow('lost');
  expect(limit).toBe('2s');
});

test('a job of a killed worker process is taken over and resumes at the last finished stage', async () => {
  const { id } = await jobs.enqueue({ kind: 'mortal' });
  const child = spawn(process.execPath, [
    '--import', import.meta.resolve('tsx'), new URL('../testing/children/mortalWorker.ts', import.meta.url).pathname,
    jobs.database.connectionString, jobs.scratch,
  ], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  expect((await jobs.database.query(jobBlobReferences)).rows).toEqual([{ blob: `sha256-${'a'.repeat(64)}` }]);
  child.kill('SIGKILL');
  expect(await readdir(join(jobs.scratch, 'jobs'))).toHaveLength(1);
  await jobs.database.query(`UPDATE jobs SET lease_until = now() - interval '1 second'`);

  let resumed: unknown;
  await jobs.work(kindOf(async (context) => {
    resumed = await context.stage('first', async () => { throw new Error('a finished stage ran again'); });
    await context.stage('second', async () => { await jobs.database.query(`INSERT INTO traces (text) VALUES ('second here')`); });
    return async () => {};
  }, { name: 'mortal', stages: [{ name: 'first', share: 0.5 }, { name: 'second', share: 0.5 }] }));
  const job = await jobs.reached(id, 'completed');
  expect(job.attempt).toBe(2);
  expect(resumed).toEqual({ blob: `sha256-${'a'.repeat(64)}`, answer: 42 });
  expect(await jobs.traces()).toEqual(['first in the child', 'second in the child', 'second here']);
  expect((await jobs.database.query(jobBlobReferences)).rows).toEqual([]);
  await until(async () => (await readdir(join(jobs.scratch, 'jobs'))).length <= 1);
  await jobs.workers.splice(0)[0]?.stop(1_000);
  await jobs.work(kindOf(async () => async () => {}));
  expect(await readdir(join(jobs.scratch, 'jobs'))).toEqual([]);
});

test('stopping a worker gives its jobs back with no attempt counted', async () => {
  const { run, began } = hanging();
  const { id } = await jobs.enqueue();
  const worker = await jobs.work(kindOf(run), { leaseMs: 600_000 });
  const context = await began;
  await worker.stop(5_000);
  expect(String(context.signal.reason)).toContain('shutdown');
  expect(await jobs.queue.get('o', id)).toMatchObject({ status: 'queued', attempt: 0 });
  expect(await readdir(join(jobs.scratch, 'jobs'))).toEqual([]);
  await jobs.work(kindOf(async () => async () => {}));
  expect((await jobs.reached(id, 'completed')).attempt).toBe(1);
});

test('a database connection lost in the middle of a job ends neither worker nor job', async () => {
  let lost = false;
  const kind = kindOf(async ({ stage }) => {
    if (!lost) {
      lost = true;
      await jobs.database.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
    }
    await stage('only', () => jobs.database.query('SELECT 1').then(() => 1));
    return async () => {};
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  await jobs.reached(id, 'completed');
  const later = await jobs.enqueue();
  await jobs.reached(later.id, 'completed');
});
