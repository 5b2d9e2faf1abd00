import { expect, test } from 'vitest';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { kindOf, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

test('each of 60 jobs takes effect exactly once with three workers, and never runs twice at once', async () => {
  const atWork = new Set<string>();
  const kind = kindOf(async ({ job, stage }) => {
    if (atWork.has(job.id)) throw new Error('runs twice at once');
    atWork.add(job.id);
    await stage('only', () => systemInterfaces.timers.sleep(5));
    atWork.delete(job.id);
    return async (transaction) => { await transaction.query('INSERT INTO traces (text) VALUES ($1)', [job.id]); };
  });
  const ids = await Promise.all(Array.from({ length: 60 }, async () => (await jobs.enqueue()).id));
  await Promise.all([jobs.work(kind), jobs.work(kind), jobs.work(kind)]);
  for (const id of ids) await jobs.reached(id, 'completed');
  expect((await jobs.traces()).sort()).toEqual([...ids].sort());
});

test('an organization never has more jobs running than its limit, while another one goes on', async () => {
  let most = 0;
  let now = 0;
  const kind = kindOf(async ({ job, stage }) => {
    if (job.organizationId === 'o') most = Math.max(most, ++now);
    await stage('only', () => systemInterfaces.timers.sleep(30));
    if (job.organizationId === 'o') now--;
    return async () => {};
  });
  const mine = await Promise.all(Array.from({ length: 8 }, () => jobs.enqueue()));
  const other = await jobs.enqueue({ organizationId: 'other' });
  await Promise.all([jobs.work(kind, { organizationLimit: 2 }), jobs.work(kind, { organizationLimit: 2 })]);
  for (const { id } of mine) await jobs.reached(id, 'completed');
  expect(most).toBe(2);
  expect((await jobs.queue.get('other', other.id))?.status).toBe('completed');
});

test('jobs with one serial key run one after the other, oldest first, also while the oldest waits for a retry', async () => {
  const order: string[] = [];
  let now = 0;
  let failed = false;
  const kind = kindOf(async ({ job }) => {
    expect(++now).toBe(1);
    await systemInterfaces.timers.sleep(10);
    now--;
    if (job.subject === '0' && !failed) {
      failed = true;
      throw new Error('once');
    }
    order.push(job.subject);
    return async () => {};
  });
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push((await jobs.enqueue({ subject: String(n), serialKey: 'model' })).id);
  await Promise.all([jobs.work(kind), jobs.work(kind)]);
  for (const id of ids) await jobs.reached(id, 'completed');
  expect(order).toEqual(['0', '1', '2', '3', '4', '5']);
});
