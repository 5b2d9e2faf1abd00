import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { platformErrors } from '../errors/platformErrors.ts';
import type { JobRow } from './jobRow.ts';
import { hanging, kindOf, until, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

async function readRow(id: string): Promise<JobRow> {
  return (await jobs.database.query<JobRow>('SELECT * FROM jobs WHERE id = $1', [id])).rows[0] as JobRow;
}

async function startMortal(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [
    '--import', import.meta.resolve('tsx'), new URL('../testing/children/mortalWorker.ts', import.meta.url).pathname,
    jobs.database.connectionString, jobs.scratch,
  ], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

test('a job whose workers are killed more often than it may fail completes all the same', async () => {
  const { id } = await jobs.enqueue({ kind: 'mortal' });
  for (let kills = 1; kills <= 2; kills++) {
    const child = await startMortal();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await jobs.database.query(`UPDATE jobs SET lease_until = now() - interval '1 second' WHERE status = 'running'`);
  }
  await jobs.work(kindOf(async () => async () => {}, { name: 'mortal', maxAttempts: 1 }));
  const { attempt } = await jobs.reached(id, 'completed');
  expect(attempt).toBe(3);
  expect(await readRow(id)).toMatchObject({ failures: 0, error: null });
});

test('a job that was running when the database went away has failed in nothing', async () => {
  let attempts = 0;
  const kind = kindOf(async () => {
    if (++attempts <= 4) throw platformErrors.problem('database-unavailable', 'PostgreSQL cannot be reached (57P01).');
    return async () => {};
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  await jobs.reached(id, 'completed');
  expect(await readRow(id)).toMatchObject({ attempt: 5, failures: 0, interruptions: 4 });
});

test('a finished stage ends the row of interruptions', async () => {
  let attempts = 0;
  const kind = kindOf(async ({ stage }) => {
    if (++attempts === 3) await stage('only', async () => null);
    if (attempts < 4) throw platformErrors.problem('database-unavailable', 'PostgreSQL cannot be reached (57P01).');
    return async () => {};
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  await jobs.reached(id, 'completed');
  expect(await readRow(id)).toMatchObject({ attempt: 4, failures: 0, interruptions: 1 });
});

test('a job whose workers die without an end to it is given up, with the reason in its error', async () => {
  const { id } = await jobs.enqueue();
  await jobs.database.query(
    `UPDATE jobs SET status = 'running', fence = gen_random_uuid(), lease_until = now() - interval '1 second', interruptions = 19 WHERE id = $1`, [id]);
  await jobs.work(kindOf(async () => { throw new Error('ran'); }));
  const { error } = await jobs.reached(id, 'error');
  expect(error).toMatchObject({ code: 'job-abandoned', detail: expect.stringContaining('20 times in a row') as string });
});

test('two jobs that may both have killed their workers never run beside each other, while others go on', async () => {
  const suspects = [await jobs.enqueue({ subject: 'suspect' }), await jobs.enqueue({ subject: 'suspect' })];
  await jobs.database.query('UPDATE jobs SET interruptions = 3');
  const innocent = await jobs.enqueue({ subject: 'innocent' });
  let now = 0;
  const counts: number[] = [];
  let go: () => void = () => {};
  const innocentRan = new Promise<void>((resolve) => { go = resolve; });
  await jobs.work(kindOf(async ({ job }) => {
    if (job.subject === 'innocent') {
      go();
      return async () => {};
    }
    counts.push(++now);
    await innocentRan;
    now--;
    return async () => {};
  }));
  for (const { id } of [...suspects, innocent]) await jobs.reached(id, 'completed');
  expect(counts).toEqual([1, 1]);
});

test('what an attempt left in the scratch folder goes when its dead worker is noticed, also where the job was cancelled', async () => {
  const { id } = await jobs.enqueue({ kind: 'mortal' });
  const child = await startMortal();
  child.kill('SIGKILL');
  await once(child, 'exit');
  // This worker started before the other one died, so its start did not remove the dead attempt's folder.
  const { run } = hanging();
  expect(await readdir(join(jobs.scratch, 'jobs'))).toHaveLength(1);
  const { rows: [row] } = await jobs.database.query<{ fence: string }>('SELECT fence FROM jobs WHERE id = $1', [id]);
  await jobs.database.query(`UPDATE jobs SET lease_until = now() + interval '1 hour' WHERE id = $1`, [id]);
  await jobs.work(kindOf(run, { name: 'mortal' }));
  expect(await readdir(join(jobs.scratch, 'jobs'))).toEqual([`${id}.${row?.fence}`]);
  await jobs.queue.cancel('o', id);
  await jobs.database.query(`UPDATE jobs SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);
  await jobs.reached(id, 'cancelled');
  await until(async () => (await readdir(join(jobs.scratch, 'jobs'))).length === 0);
});
