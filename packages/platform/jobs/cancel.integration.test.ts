import { expect, test } from 'vitest';
import { hanging, kindOf, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

test('cancelling a queued job ends it at once with its hook, and a worker never runs it', async () => {
  const heard: string[] = [];
  const kind = kindOf(async () => { heard.push('ran'); return async () => {}; }, {
    ended: async (transaction, job) => { await transaction.query('INSERT INTO traces (text) VALUES ($1)', [job.status]); },
  });
  jobs.queue.register([kind]);
  const { id } = await jobs.enqueue();
  expect(await jobs.queue.cancel('someone else', id)).toBeNull();
  expect(await jobs.queue.cancel('o', 'not-a-uuid')).toBeNull();
  expect((await jobs.queue.cancel('o', id))?.status).toBe('cancelled');
  expect((await jobs.queue.cancel('o', id))?.status).toBe('cancelled');
  expect(await jobs.traces()).toEqual(['cancelled']);
  await jobs.work(kind);
  const later = await jobs.enqueue();
  await jobs.reached(later.id, 'completed');
  expect(heard).toEqual(['ran']);
});

test('cancelling a queued job of a kind that this process does not know is left to a worker', async () => {
  const { id } = await jobs.enqueue();
  expect(await jobs.queue.cancel('o', id)).toMatchObject({ status: 'queued', cancelRequested: true });
  await jobs.work(kindOf(async () => { throw new Error('ran'); }));
  expect((await jobs.reached(id, 'cancelled')).attempt).toBe(0);
});

test('the jobs of a serial key are listed while they run or wait, however many, the newest first', async () => {
  const kind = kindOf(async () => async () => {});
  jobs.queue.register([kind]);
  const ids: string[] = [];
  for (let index = 0; index < 120; index += 1) ids.push((await jobs.enqueue({ serialKey: 'line' })).id);
  await jobs.enqueue({ serialKey: 'another line' });
  expect(await jobs.queue.listOpen('someone else', 'line')).toEqual([]);
  expect(await jobs.queue.listOpen('o', 'line')).toEqual(ids.toReversed());
  for (const id of ids.slice(20)) await jobs.queue.cancel('o', id);
  expect(await jobs.queue.listOpen('o', 'line')).toEqual(ids.slice(0, 20).toReversed());
});

test('cancelling a running job aborts its signal and ends it as cancelled, even with a long lease', async () => {
  const { run, began } = hanging();
  const { id } = await jobs.enqueue();
  await jobs.work(kindOf(run), { leaseMs: 600_000, pollMs: 600_000 });
  const context = await began;
  await jobs.queue.cancel('o', id);
  expect((await jobs.reached(id, 'cancelled')).completedAt).toBeInstanceOf(Date);
  expect(String(context.signal.reason)).toContain('cancelled');
});

test('a cancel that comes before the completion wins, and the completion has no effect', async () => {
  const kind = kindOf(async ({ job }) => {
    await jobs.database.query('UPDATE jobs SET cancel_requested = true WHERE id = $1', [job.id]);
    return async (transaction) => { await transaction.query(`INSERT INTO traces (text) VALUES ('effect')`); };
  });
  const { id } = await jobs.enqueue();
  await jobs.work(kind, { leaseMs: 60_000 });
  await jobs.reached(id, 'cancelled');
  expect(await jobs.traces()).toEqual([]);
});
