import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { listAnswers } from '../answers/answerStore.ts';
import { storeExposures } from '../experiments/exposureStore.ts';
import type { ExperimentResults } from '../experiments/experimentResults.schema.ts';
import { markCounted } from '../experiments/uploadStore.ts';
import { listExperiments } from '../experiments/experimentStore.ts';
import { ExperimentServers } from '../testing/experimentServers.ts';
import { delayErasures } from './erasureLock.ts';
import { eraseUser } from './eraseUser.ts';

let servers: ExperimentServers;
const arms = { a: { model_id: 'shop' }, b: { model_id: 'shop', filter: 'item.price < 50' } };
const tables = ['recent_answers', 'experiment_users', 'experiment_answers', 'experiment_outcomes'];

beforeAll(async () => {
  servers = await ExperimentServers.start(2);
  await servers.lists.publish('shop');
  await buy('somebody');
  await servers.put('split', { arms, outcome: ['purchase'] });
  await servers.put('shared', { arms, outcome: ['purchase'], mode: 'interleaved' });
});
afterAll(() => servers.close());

const query = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> => (await servers.lists.database.query<Row>(sql, values)).rows;
const remove = (id: string, organization = 'acme') => servers.call('DELETE', `entities/${encodeURIComponent(id)}`, undefined, { organization });

async function buy(user: string, recommendationId?: string): Promise<void> {
  const interaction = { type: 'purchase', source_id: user, target_id: 'film 001', ...(recommendationId === undefined ? {} : { recommendation_id: recommendationId }) };
  expect(await servers.call('POST', 'interactions', { interactions: [interaction] })).toMatchObject({ status: 202 });
}

async function ask(model: string, user: string | string[], more: object = {}): Promise<{ recommendation_id: string }> {
  const { status, body } = await servers.call<{ recommendation_id: string }>('POST', 'recommend', { model_id: model, entity_id: user, unknown: 'trending', ...more });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

/** Tables with rows that mention a user, by organization. */
async function mentions(user: string): Promise<string[]> {
  const found = await Promise.all(tables.map(async (table) => {
    const owner = table === 'recent_answers' ? table : `${table} JOIN experiments USING (run)`;
    const rows = await query<{ organization_id: string }>(`SELECT DISTINCT organization_id FROM ${owner} WHERE strpos(${table}::text, $1) > 0`, [user]);
    return rows.map(({ organization_id: organization }) => `${organization} ${table}`);
  }));
  return found.flat().sort();
}

const results = async (id: string): Promise<ExperimentResults> => (await servers.call<ExperimentResults>('GET', `experiments/${id}/results`)).body;
const everywhere = (organization: string): string[] => tables.map((table) => `${organization} ${table}`).sort();

it('a deleted user is in no table of answers and experiments, the counts stay, and another user and organization lose nothing', async () => {
  for (const user of ['ann-1', 'bob-1']) {
    await ask('split', user);
    await buy(user, (await ask('shared', user)).recommendation_id);
    await ask('shop', ['user 001', user]);
  }
  await vi.waitFor(async () => expect(await query('SELECT FROM recent_answers WHERE entity_ids @> $1', [['user 001', 'bob-1']])).not.toEqual([]), { timeout: 120_000 });
  await servers.count();
  // The same user of another organization.
  const run = '00000000-0000-4000-8000-000000000009';
  await query(`INSERT INTO experiments SELECT 'globex', experiment_id, $1, definition, started_at, counted_through FROM experiments WHERE experiment_id = 'split'`, [run]);
  await query(`INSERT INTO experiment_users VALUES ($1, 'ann-1', 'a', now(), false)`, [run]);
  await query(`INSERT INTO experiment_outcomes VALUES ($1, 0, 'ann-1', 'a')`, [run]);
  await query(`INSERT INTO experiment_answers VALUES ($1, 'r', 'ann-1', now(), '{x}', '{y}')`, [run]);
  await query(`INSERT INTO recent_answers (organization_id, model_id, model_version, answered_at, request, lists, entity_ids)
    VALUES ('globex', 'm', 1, now(), '{"parameters":{"entity_id":"ann-1"}}', '[]', '{ann-1}')`);
  expect(await mentions('ann-1')).toEqual([...everywhere('acme'), ...everywhere('globex')]);

  const before = await Promise.all(['split', 'shared'].map(results));
  expect(before.map(({ users }) => users.reached)).toEqual([2, 2]);
  expect(await remove('ann-1')).toMatchObject({ status: 202 });
  expect(await mentions('ann-1')).toEqual(everywhere('globex'));
  expect(await mentions('bob-1')).toEqual(everywhere('acme'));
  const after = await Promise.all(['split', 'shared'].map(results));
  expect(after.map((each) => [each.users, each.arms])).toEqual(before.map((each) => [each.users, each.arms]));
  // The answers for another user alone are kept.
  expect((await listAnswers(servers.lists.database, 'acme', null, 100)).map(({ lists }) => lists.map(({ source_id: id }) => id))).toContainEqual(['user 001', 'bob-1']);
});

it('what waits for the database at the deletion, and what a deleted user does later, is not stored', async () => {
  const reached = async (): Promise<number[]> => (await Promise.all(['split', 'shared'].map(results))).map(({ users }) => users.reached);
  const before = await reached();
  await ask('split', 'cid-1');
  const { recommendation_id: id } = await ask('shared', 'cid-1');
  await remove('cid-1');
  await ask('split', 'cid-1');
  await ask('shop', 'cid-1', { history: [{ id: 'film 001' }] });
  await buy('cid-1', id);
  await servers.count();
  const { recommendation_id: last } = await ask('shop', 'dee-1');
  // Answers are stored in their order.
  await vi.waitFor(async () => expect(await query('SELECT FROM recent_answers WHERE recommendation_id = $1', [last])).toHaveLength(1), { timeout: 120_000 });
  expect(await mentions('cid-1')).toEqual([]);
  expect(await reached()).toEqual(before);
  // A user who is added again counts again.
  expect(await servers.call('POST', 'entities', { entities: [{ id: 'cid-1', type: 'user' }] })).toMatchObject({ status: 202 });
  await ask('shop', 'cid-1');
  await vi.waitFor(async () => expect(await mentions('cid-1')).toEqual(['acme recent_answers']), { timeout: 120_000 });
});

it('an erasure waits for transactions that store users', async () => {
  const { database } = servers.lists;
  const [experiment] = (await listExperiments(database, 'acme')).filter(({ id }) => id === 'split');
  const run = experiment?.run ?? '';
  let erased: Promise<void> = Promise.resolve();
  await database.transaction(async (transaction) => {
    await delayErasures(transaction);
    await storeExposures(transaction, [{ run, userId: 'eve-1', arm: 'a', exposedAt: new Date(servers.lists.now), empty: false }]);
    await query(`INSERT INTO hidden_entities VALUES ('acme', 'eve-1', 'deleted')`);
    erased = eraseUser(database, 'acme', 'eve-1');
    await vi.waitFor(async () => expect(await query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)).toHaveLength(1), { timeout: 120_000 });
  });
  await erased;
  expect(await mentions('eve-1')).toEqual([]);
});

it('outcomes of an uploaded file that were stored during the deletion are removed when the file is marked', async () => {
  const { database } = servers.lists;
  const [experiment] = (await listExperiments(database, 'acme')).filter(({ id }) => id === 'split');
  if (experiment === undefined) throw new Error('the experiment is missing');
  await remove('fay-1');
  for (const user of ['fay-1', 'gil-1']) await query(`INSERT INTO experiment_outcomes VALUES ($1, 0, $2, 'a')`, [experiment.run, user]);
  await database.transaction((transaction) => markCounted(transaction, experiment, '00000000-0000-4000-8000-000000000010'));
  expect([await mentions('fay-1'), await mentions('gil-1')]).toEqual([[], ['acme experiment_outcomes']]);
});
