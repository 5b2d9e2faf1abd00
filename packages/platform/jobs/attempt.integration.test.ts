import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Job } from './job.ts';
import { kindOf, until, useTestJobs } from './testJobs.ts';

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
