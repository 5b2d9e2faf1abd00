import { expect, test } from 'vitest';
import { countAhead } from './countAhead.ts';
import { hanging, kindOf, useTestJobs } from '../testing/testJobs.ts';

const jobs = useTestJobs();

async function ahead(ids: readonly string[]): Promise<(number | null)[]> {
  const counts = await countAhead(jobs.database, 'o', 'test', ids);
  return ids.map((id) => counts.get(id) ?? null);
}

test('the count has the queued jobs of the kind and organization that begin earlier, and no others', async () => {
  const first = await jobs.enqueue();
  await jobs.enqueue({ organizationId: 'other' });
  await jobs.enqueue({ kind: 'another' });
  const [second, third, fourth] = [await jobs.enqueue(), await jobs.enqueue(), await jobs.enqueue()];
  const ids = [first, second, third, fourth].map(({ id }) => id);
  expect(await ahead(ids)).toEqual([0, 1, 2, 3]);
  expect(await ahead([fourth.id])).toEqual([3]);
  await jobs.database.query(`UPDATE jobs SET run_after = now() + interval '1 hour' WHERE id = $1`, [second.id]);
  expect(await ahead(ids)).toEqual([0, null, 1, 2]);
  await jobs.database.query('UPDATE jobs SET cancel_requested = true WHERE id = $1', [third.id]);
  expect(await ahead(ids)).toEqual([0, null, null, 1]);
  expect(await ahead([])).toEqual([]);
});

test('a job that begins is in no count', async () => {
  const { run, began } = hanging();
  const [first, second, third] = [await jobs.enqueue(), await jobs.enqueue(), await jobs.enqueue()];
  await jobs.work(kindOf(run, { concurrency: 1 }));
  expect((await began).job.id).toBe(first.id);
  expect(await ahead([first.id, second.id, third.id])).toEqual([null, 0, 1]);
});
