import { expect, test } from 'vitest';
import { platformErrors } from '../errors/platformErrors.ts';
import { kindOf, useTestJobs } from './testJobs.ts';

const jobs = useTestJobs();

test('an unexpected failure is repeated, and after the last attempt the job is abandoned', async () => {
  let attempts = 0;
  const ended: string[] = [];
  const kind = kindOf(async () => { attempts++; throw new Error('secret internals'); }, {
    ended: async (_, job) => { ended.push(job.error?.code ?? ''); },
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  const job = await jobs.reached(id, 'error');
  expect(attempts).toBe(3);
  expect(job.error?.code).toBe('job-abandoned');
  expect(JSON.stringify(job.error)).not.toContain('secret');
  expect(ended).toEqual(['job-abandoned']);
});

test('a problem is final at the first attempt', async () => {
  let attempts = 0;
  const kind = kindOf(async () => { attempts++; throw platformErrors.problem('not-found', 'There is nothing.'); });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  expect((await jobs.reached(id, 'error')).error).toMatchObject({ code: 'not-found', detail: 'There is nothing.' });
  expect(attempts).toBe(1);
});

test('a completion that fails leaves no effect and is repeated', async () => {
  let tries = 0;
  const kind = kindOf(async () => async (transaction) => {
    await transaction.query(`insert into traces (text) values ('effect')`);
    if (++tries === 1) throw new Error('in the completion');
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind);
  await jobs.reached(id, 'completed');
  expect(tries).toBe(2);
  expect(await jobs.traces()).toEqual(['effect']);
});
