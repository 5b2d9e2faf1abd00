import { Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { TestDatabase } from '../testing/testDatabase.ts';
import { createLogger } from '../log/logger.ts';
import { countJobs, listStuckJobs } from './jobState.ts';
import { measureJobs } from './measureJobs.ts';
import { useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

test('counts and stuck jobs are those of the table', async () => {
  await jobs.enqueue();
  const { id } = await jobs.enqueue();
  await jobs.database.query(`UPDATE jobs SET run_after = now() - interval '1 hour' WHERE id = $1`, [id]);
  expect(await countJobs(jobs.database)).toMatchObject([{ kind: 'test', status: 'queued', count: 2 }]);
  const metrics = new Registry();
  measureJobs(metrics, jobs.database, createLogger('silent'));
  const text = await metrics.metrics();
  expect(text).toContain('vouch_jobs{kind="test",status="queued"} 2');
  expect(Number(/vouch_jobs_oldest_waiting_seconds\{kind="test"\} (.*)/.exec(text)?.[1])).toBeGreaterThanOrEqual(3600);
  expect(await listStuckJobs(jobs.database)).toMatchObject([{ id, reason: 'no worker runs the job' }]);
});

test('without the database the metrics of jobs are absent, and the others are answered', async () => {
  const metrics = new Registry();
  new Gauge({ name: 'other', help: 'Another one.', registers: [metrics] }).set(1);
  const broken = { query: async () => { throw new Error('no jobs.database'); } } as unknown as TestDatabase;
  measureJobs(metrics, broken, createLogger('silent'));
  const text = await metrics.metrics();
  expect(text).toContain('other 1');
  expect(text).not.toContain('vouch_jobs{');
});
