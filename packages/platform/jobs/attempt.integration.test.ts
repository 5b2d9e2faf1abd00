import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../testing/testDatabase.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import type { Job } from './job.ts';
import { kindOf, until, useTestJobs } from '../testing/testJobs.ts';
import { startWorker } from './worker.ts';

const jobs = useTestJobs();

test('the scratch folder of an attempt is readable for nobody else, and gone after it', async () => {
  let folder = '';
  let mode = 0;
  await jobs.work(kindOf(async (context) => {
    folder = context.scratch;
    mode = (await stat(folder)).mode & 0o777;
    return async () => {};
  }));
  const { id } = await jobs.enqueue();
  await jobs.reached(id, 'completed');
  expect(mode).toBe(0o700);
  await until(async () => stat(folder).then(() => false, () => true));
});

test('the function that completes a job is given the job as it will be read', async () => {
  let given: Job | null = null;
  await jobs.work(kindOf(async ({ stage }) => {
    await stage('only', async () => null);
    return async (_transaction, job) => { given = job; };
  }));
  const { id } = await jobs.enqueue();
  const completed = await jobs.reached(id, 'completed');
  expect(given).toEqual(completed);
});

test('the scratch folder of an attempt is left alone by a worker that starts on another database', async () => {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => { end = resolve; });
  let folder = '';
  await jobs.work(kindOf(async (context) => {
    folder = context.scratch;
    await ended;
    return async () => {};
  }));
  const { id } = await jobs.enqueue();
  await until(async () => folder !== '');
  const database = await openTestDatabase();
  const other = await startWorker({ database, kinds: [], system: systemInterfaces, log: createLogger('silent'), scratch: jobs.scratch });
  try {
    expect((await stat(folder)).isDirectory()).toBe(true);
  } finally {
    end();
    await jobs.reached(id, 'completed');
    await other.stop(1_000);
    await database.close();
  }
});
