import { createLogger } from '@vouch/platform/log/logger';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExposureRecorder } from './exposureRecorder.ts';
import { putExperiment } from './experimentStore.ts';
import type { ExperimentDefinition } from './experiment.schema.ts';

const run = '00000000-0000-4000-8000-000000000001';
let database: TestDatabase;
let now = Date.parse('2026-03-02T12:00:00Z');
const clock = { now: () => now, monotonic: () => now };

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }] });
  await database.transaction((transaction) => putExperiment(transaction, { organizationId: 'acme', id: 'e', run, definition: {} as ExperimentDefinition, startedAt: new Date(now) }));
});
afterAll(() => database.close());

const recorderOf = (transaction: TestDatabase['transaction']) => new ExposureRecorder({ clock, log: createLogger('silent'), database: { ...database, transaction } });
const users = async (): Promise<object[]> => (await database.query<object>('SELECT user_id, arm, exposed_at, empty FROM experiment_users ORDER BY user_id')).rows;

it('stores each user once: the first answer on any server, and whether any list was empty', async () => {
  let statements = 0;
  const counting: TestDatabase['transaction'] = (work) => {
    statements += 1;
    return database.transaction(work);
  };
  const [one, other] = [recorderOf(counting), recorderOf(counting)];
  one.record({ run, userId: 'ann', arm: 'a', empty: false });
  now += 5_000;
  other.record({ run, userId: 'ann', arm: 'a', empty: false });
  other.record({ run, userId: 'ann', arm: 'a', empty: true });
  other.record({ run, userId: 'bob', arm: 'b', empty: false });
  other.record({ run: '00000000-0000-4000-8000-00000000dead', userId: 'gone', arm: 'b', empty: false });
  other.record({ run, userId: 'ä'.repeat(513), arm: 'b', empty: false });
  await other.flush();
  await one.flush();
  const first = new Date(now - 5_000);
  expect(await users()).toEqual([{ user_id: 'ann', arm: 'a', exposed_at: first, empty: true }, { user_id: 'bob', arm: 'b', exposed_at: new Date(now), empty: false }]);
  other.record({ run, userId: 'ann', arm: 'a', empty: true });
  other.record({ run, userId: 'bob', arm: 'b', empty: false });
  await other.flush();
  expect(statements).toBe(2);
  now += 5_000;
  one.record({ run, userId: 'bob', arm: 'b', empty: true });
  await one.flush();
  expect((await users()).at(-1)).toEqual({ user_id: 'bob', arm: 'b', exposed_at: new Date(now - 5_000), empty: true });
});

it('keeps users while the database fails, and stores them with the time of their answer', async () => {
  let fails = true;
  const recorder = recorderOf((work) => (fails ? Promise.reject(new Error('the database is away')) : database.transaction(work)));
  const answered = new Date(now);
  recorder.record({ run, userId: 'eve', arm: 'b', empty: false });
  recorder.recordShared({ run, recommendationId: 'r', userId: 'eve', itemsA: ['x'], itemsB: [] });
  await recorder.flush();
  now += 60_000;
  recorder.record({ run, userId: 'eve', arm: 'b', empty: true });
  fails = false;
  await recorder.flush();
  expect((await users()).at(-1)).toEqual({ user_id: 'eve', arm: 'b', exposed_at: answered, empty: true });
  expect((await database.query('SELECT items_a, answered_at FROM experiment_answers')).rows).toEqual([{ items_a: ['x'], answered_at: answered }]);
});
