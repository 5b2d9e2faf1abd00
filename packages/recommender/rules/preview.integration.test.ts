import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RuleServers } from '../testing/ruleServers.ts';
import { compareLists } from './compareLists.ts';
import type { RulePreview } from './preview.schema.ts';
import type { RuleRecord } from './rule.schema.ts';

let servers: RuleServers;

beforeAll(async () => {
  servers = await RuleServers.start(1);
  await servers.publish('shop');
});
afterEach(async () => {
  for (const { name } of (await servers.call<RuleRecord[]>('GET', 'rules')).body) await servers.call('DELETE', `rules/${name}`);
  // Stores the answers that wait, then removes them.
  await preview({ filter: 'true' });
  await servers.database.query('DELETE FROM recent_answers');
});
afterAll(() => servers.close());

interface Lists {
  recommendation_id: string;
  recommendations: { source_id: string | null; target_id: string }[];
}

/** Requests of all kinds, each with the number of lists that it gets. */
const questions: readonly { ask: () => Promise<string[][]>; lists: number }[] = [
  ...['user 003', 'user 010', 'film 007'].map((id) => ({ ask: () => recommend({ entity_id: id, max_recommendations: 10 }), lists: 1 })),
  { ask: () => recommend({ entity_id: ['user 001', 'user 002'], filter: 'item.maker != "maker 0"', boost: 'item.genre == "genre 2" ? 2 : 1', max_recommendations: 6 }), lists: 2 },
  { ask: () => recommend({ history: [{ id: 'film 001' }, { id: 'film 002', type: 'dislike' }], diversity: 0.4, max_recommendations: 12, offset: 2 }), lists: 1 },
  { ask: () => recommend({ max_recommendations: 8 }), lists: 1 },
  { ask: () => get('related_items', { entity_id: 'user 005,film 012', output_format: 'json', max_recommendations: '9', threshold: '0.05' }), lists: 2 },
  { ask: () => get('related_items', { entity_id: 'user 006', max_recommendations: '5' }), lists: 1 },
  { ask: () => get('trending_items', { max_recommendations: '15', output_format: 'json' }), lists: 1 },
];

async function recommend(body: object): Promise<string[][]> {
  return group((await servers.call<Lists>('POST', 'recommend', { model_id: 'shop', ...body })).body);
}

async function get(route: string, query: Record<string, string>): Promise<string[][]> {
  const { body } = await servers.call<Lists | string>('GET', `${route}?${String(new URLSearchParams({ model_id: 'shop', ...query }))}`);
  return typeof body === 'string' ? [body.split('\n').slice(1, -1).map((row) => row.split(',')[1] ?? '')] : group(body);
}

function group({ recommendations }: Lists): string[][] {
  const lists = new Map<string | null, string[]>();
  for (const { source_id: source, target_id: target } of recommendations) lists.set(source, [...(lists.get(source) ?? []), target]);
  return [...lists.values()];
}

async function preview(body?: object, { name = 'tried', organization = 'acme' } = {}): Promise<RulePreview & { code?: string; detail?: string }> {
  return (await servers.call<RulePreview & { code?: string }>('POST', `rules/${name}/preview`, body, { organization })).body;
}

async function askAll(): Promise<string[][][]> {
  const answers: string[][][] = [];
  for (const { ask } of questions) answers.push(await ask());
  return answers;
}

const rule = { filter: 'item.price < user.budget || item.price > 90', boost: 'item.maker == "maker 3" ? 1.8 : 1' };

it('counts what a rule would have changed in the latest answers, exactly as the lists change with the rule in force', async () => {
  await servers.call('PUT', 'rules/other', { filter: 'item.genre != "genre 3"' });
  const before = await askAll();
  await servers.call('PUT', 'rules/tried', { ...rule, enabled: false });
  const counted = await preview();
  expect(await preview(rule)).toEqual(counted);
  expect(counted).toMatchObject({ name: 'tried', answers: questions.length, skipped: 0, is_complete: true, changed_since: 0, from: '2026-03-02T12:00:00.000Z', to: '2026-03-02T12:00:00.000Z', warnings: [] });
  await servers.call('PUT', 'rules/tried', rule);
  const after = await askAll();
  const differences = before.flatMap((lists, question) => lists.map((list, at) => compareLists(list, after[question]?.[at] ?? [])));
  const sum = (of: (difference: (typeof differences)[number]) => number): number => differences.reduce((total, each) => total + of(each), 0);
  expect(before.flat()).toHaveLength(questions.reduce((total, { lists }) => total + lists, 0));
  expect(counted).toMatchObject({
    lists: differences.length,
    items_removed: sum(({ removed }) => removed.length), items_added: sum(({ added }) => added.length), items_moved: sum(({ moved }) => moved),
    changed: before.filter((lists, question) => JSON.stringify(lists) !== JSON.stringify(after[question])).length,
  });
  expect(counted.items_removed).toBeGreaterThan(10);
  expect(counted.mean_overlap).toBeCloseTo(sum(({ overlap }) => overlap) / differences.length, 5);
  const lost = differences.flatMap(({ removed }) => removed);
  for (const { id, lists } of counted.removed_items) expect(lists, id).toBe(lost.filter((each) => each === id).length);
  expect(counted.examples).toHaveLength(Math.min(10, differences.filter(({ removed, added, moved }) => removed.length + added.length + moved > 0).length));
  const [most] = counted.examples;
  expect(most?.overlap).toBeCloseTo(Math.min(...differences.map(({ overlap }) => overlap)), 5);
  expect(before.flat().map((list) => list.slice(0, 10))).toContainEqual(most?.before);
  // An emptied list is not in an answer.
  expect([[], ...after.flat().map((list) => list.slice(0, 10))]).toContainEqual(most?.after);
});

it('compares a rule in force with its absence, and tells other changes since the answers apart', async () => {
  await servers.call('PUT', 'rules/tried', rule);
  await askAll();
  const counted = await preview();
  expect(counted.changed).toBeGreaterThan(5);
  expect(counted.changed_since).toBe(0);
  await servers.database.query(`UPDATE recent_answers SET lists = '[]' WHERE sequence = (SELECT max(sequence) FROM recent_answers)`);
  expect(await preview()).toMatchObject({ changed: counted.changed, changed_since: 1 });
});

it('previews neither answers of another organization nor of another model, and counts answers that cannot be ranked any more', async () => {
  await servers.publish('other');
  await askAll();
  expect(await preview({ filter: 'false' })).toMatchObject({ answers: questions.length, lists_emptied: 11, mean_overlap: 0, items_added: 0 });
  expect(await preview({ filter: 'false' }, { organization: 'nobody' })).toMatchObject({ answers: 0, lists: 0, mean_overlap: null, from: null });
  expect(await preview({ filter: 'false', model_id: 'other' })).toMatchObject({ answers: 0, skipped: 0 });
  await servers.database.query(`INSERT INTO recent_answers (organization_id, model_id, model_version, answered_at, request, lists)
    VALUES ('acme', 'gone', 1, now(), '{"route":"recommend","parameters":{}}', '[]'),
           ('acme', 'shop', 1, now(), '{"route":"recommend","parameters":{"entity_id":"nobody"}}', '[]')`);
  expect(await preview({ filter: 'false' })).toMatchObject({ answers: questions.length, skipped: 2 });
});

it('warns of models that would do without the rule, and refuses rules as PUT does', async () => {
  await servers.publish('plain', () => ({ colour: 'red' }));
  await servers.call('POST', 'recommend', { model_id: 'plain', entity_id: 'user 003' });
  await askAll();
  await servers.publish('shop');
  const counted = await preview({ filter: 'item.price < 50' });
  expect(counted.warnings).toEqual([{ model_id: 'plain', model_version: 1, detail: expect.stringMatching(/^Lists do without the rule: the filter does not fit the model: .*"item.price"/) as string }]);
  expect(counted.answers).toBe(questions.length + 1);
  const idle = 'Lists do without the rule: the boost has no value for any of 100 items, because of a division by 0 or of columns without values, so it changes no score.';
  expect(await preview({ boost: '10 / (item.price - item.price)', model_id: 'shop' })).toMatchObject({ items_moved: 0, warnings: [{ model_id: 'shop', detail: idle }] });
  expect(await preview({ boost: 'item.price / user.budget + 0.1', model_id: 'shop' })).toMatchObject({ warnings: [] });
  const empties = 'Every list is empty: `item.price > 1000000` in the filter is true for none of 100 items.';
  expect(await preview({ filter: 'item.price > 1000000', model_id: 'shop' })).toMatchObject({ warnings: [{ model_id: 'shop', detail: empties }] });
  await servers.call('PUT', 'rules/none', { filter: 'item.price > 1000000', model_id: 'shop' });
  await askAll();
  await vi.waitFor(async () => expect((await servers.call('GET', 'rules/none')).body).toMatchObject({ status: 'in_force', warnings: [{ model_id: 'shop', detail: empties }] }), { timeout: 120_000 });
  await servers.call('DELETE', 'rules/none');
  await servers.call('PUT', 'rules/idle', { boost: '10 / (item.price - item.price)', model_id: 'shop' });
  await askAll();
  await vi.waitFor(async () => expect((await servers.call('GET', 'rules/idle')).body).toMatchObject({ warnings: [{ model_id: 'shop', detail: idle }] }), { timeout: 120_000 });
  await servers.call('DELETE', 'rules/idle');
  expect(await preview()).toMatchObject({ code: 'unknown-rule' });
  expect(await preview({ enabled: true })).toMatchObject({ code: 'empty-rule' });
  expect(await preview({ filter: 'item.prise < 3', model_id: 'shop' })).toMatchObject({ code: 'invalid-expression' });
  expect((await servers.call('GET', 'rules')).body).toEqual([]);
});
