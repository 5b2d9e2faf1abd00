import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AnswerRecorder } from './answerRecorder.ts';
import { listAnswers } from './answerStore.ts';
import type { RecordedList } from './recordedAnswer.ts';

let database: TestDatabase;
let now = 0;

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }] });
});
beforeEach(async () => {
  now = Date.parse('2026-03-02T12:00:00Z');
  await database.query('DELETE FROM recent_answers');
});
afterAll(() => database.close());

const recorder = (kept: number, of = database): AnswerRecorder => new AnswerRecorder({ clock: { ...systemInterfaces.clock, now: () => now }, database: of, log: createLogger('silent') }, kept);

/** Answers once, with the number as the id of the answer. @returns whether the answer was in the sample */
function answer(by: AnswerRecorder, id: number, { organizationId = 'acme', modelId = 'm', lists = [{ source_id: 'u', items: ['a', 'b'] }], ...given }: { organizationId?: string; modelId?: string; lists?: RecordedList[]; entity?: string | string[] | undefined } = {}): boolean {
  const recording = by.begin(organizationId);
  recording?.lists.push(...lists);
  by.end(recording, { organizationId, recommendationId: String(id), modelId, modelVersion: 3, request: { route: 'recommend', parameters: { entity_id: 'entity' in given ? given.entity : 'u' } } });
  return recording !== null;
}

const kept = async (organizationId = 'acme', modelId: string | null = null): Promise<number[]> => (await listAnswers(database, organizationId, modelId, 1_000)).map(({ recommendationId }) => Number(recommendationId));

it('stores the answers of a second as they were sent, the latest first, by organization and model', async () => {
  const own = recorder(1_000);
  answer(own, 1);
  answer(own, 2, { modelId: 'other' });
  answer(own, 3, { organizationId: 'nobody' });
  expect(await kept()).toEqual([]);
  await own.flush();
  await own.flush();
  expect(await kept()).toEqual([2, 1]);
  expect(await kept('nobody')).toEqual([3]);
  expect(await listAnswers(database, 'acme', 'm', 10)).toEqual([{
    organizationId: 'acme', recommendationId: '1', modelId: 'm', modelVersion: 3, answeredAt: new Date(now),
    request: { route: 'recommend', parameters: { entity_id: 'u' } }, lists: [{ source_id: 'u', items: ['a', 'b'] }],
  }]);
});

it('records at most 20 answers a second of one organization, whatever the others send', () => {
  const own = recorder(1_000);
  expect(Array.from({ length: 50 }, (_, id) => answer(own, id)).filter(Boolean)).toHaveLength(20);
  expect(answer(own, 51, { organizationId: 'nobody' })).toBe(true);
});

it('keeps the latest answers of each organization, also if several servers record', async () => {
  const both = [recorder(150), recorder(150)];
  answer(recorder(150), 0);
  for (let id = 1; id <= 640; id += 1) {
    const by = both[id % 2] as AnswerRecorder;
    expect(answer(by, id)).toBe(true);
    answer(by, id, { organizationId: 'another' });
    if (id === 1) answer(by, 1, { organizationId: 'nobody' });
    if (id % 30 < 2) await by.flush();
  }
  await Promise.all(both.map((each) => each.flush()));
  for (const organization of ['acme', 'another']) {
    const ids = (await kept(organization)).toSorted((a, b) => b - a);
    expect(ids.slice(0, 150)).toEqual(Array.from({ length: 150 }, (_, at) => 640 - at));
    expect(ids.length).toBeLessThanOrEqual(150 + 2 * 100);
  }
  expect(await kept('nobody')).toEqual([1]);
});

it('deletes answers after 30 days, and all if none are to be kept', async () => {
  const own = recorder(1_000);
  answer(own, 1);
  await own.flush();
  now += 30 * 86_400_000 - 1;
  answer(own, 2);
  await own.flush();
  expect(await kept()).toEqual([2, 1]);
  now += 3_600_000;
  await own.flush();
  expect(await kept()).toEqual([2]);
  const off = recorder(0);
  expect(answer(off, 3)).toBe(false);
  await off.flush();
  expect(await kept()).toEqual([]);
});

it('deletes answers after 30 days also if the clock was a year ahead when it last looked', async () => {
  const own = recorder(1_000);
  now += 365 * 86_400_000;
  await own.flush();
  now -= 365 * 86_400_000;
  answer(own, 1);
  await own.flush();
  now += 31 * 86_400_000;
  await own.flush();
  expect(await kept()).toEqual([]);
});

it('leaves out answers that are too large, and loses the answers that cannot be stored, without an error', async () => {
  const own = recorder(1_000);
  answer(own, 1, { entity: 'x'.repeat(17_000) });
  answer(own, 2, { lists: [{ source_id: 'u', items: ['y'.repeat(66_000)] }] });
  answer(own, 3, { lists: Array.from({ length: 9 }, () => ({ source_id: 'u', items: ['a'] })) });
  answer(own, 4);
  await own.flush();
  expect(await kept()).toEqual([4]);
  const down = recorder(1_000, { ...database, transaction: () => Promise.reject(new Error('the database is away')) });
  answer(down, 5);
  await expect(down.flush()).resolves.toBeUndefined();
});

it('has stored all answers of before when a flush ends, also those that an earlier flush is storing', async () => {
  const delays = [200];
  const slow = recorder(1_000, { ...database, transaction: async (work) => {
    await setTimeout(delays.pop());
    return database.transaction(work);
  } });
  answer(slow, 1);
  const earlier = slow.flush();
  answer(slow, 2);
  await slow.flush();
  expect(await kept()).toEqual([2, 1]);
  await earlier;
});

it('finds the entities of answers that an earlier release recorded', async () => {
  const own = recorder(1_000);
  answer(own, 1, { entity: 'ü "1"' });
  answer(own, 2, { entity: ['v', 'w'], lists: [{ source_id: 'v', items: ['a'] }, { source_id: null, items: ['b'] }] });
  answer(own, 3, { entity: undefined, lists: [{ source_id: null, items: ['a'] }] });
  await own.flush();
  const entities = async (): Promise<string[][]> => (await database.query<{ ids: string[] }>('SELECT ARRAY(SELECT unnest(entity_ids) ORDER BY 1) AS ids FROM recent_answers ORDER BY sequence')).rows.map(({ ids }) => ids);
  const recorded = await entities();
  expect(recorded).toEqual([['u', 'ü "1"'].sort(), ['v', 'w'], []]);
  await database.query(`UPDATE recent_answers SET entity_ids = '{}'`);
  const migration = await readFile(new URL('../migrations/0012_erasure.sql', import.meta.url), 'utf8');
  await database.query(/UPDATE[^;]*/.exec(migration)?.[0] ?? '');
  expect(await entities()).toEqual(recorded);
});
