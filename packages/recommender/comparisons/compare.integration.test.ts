import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RecommendationsAnswer } from '../recommendations/recommendation.schema.ts';
import { RuleServers } from '../testing/ruleServers.ts';
import { compareRoute } from './compare.route.ts';
import type { ComparisonResult } from './comparison.schema.ts';

let servers: RuleServers;

beforeAll(async () => {
  servers = await RuleServers.start(1, (server, platform, serving) => {
    compareRoute(server, platform, serving.models);
    return null;
  });
  await servers.publish('shop');
  await servers.publish('same');
  // The same interactions, without metadata of the films: other lists, most of all for films without interactions.
  await servers.publish('plain', () => ({}));
});
afterAll(() => servers.close());

async function compare(query: Record<string, string>): Promise<ComparisonResult> {
  const { status, body } = await servers.call<ComparisonResult>('GET', `compare?${String(new URLSearchParams({ model_id: 'shop', ...query }))}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

async function listOf(model: string, id: string): Promise<string[]> {
  const { body } = await servers.call<RecommendationsAnswer>('POST', 'recommend', { model_id: model, entity_id: id, max_recommendations: 8 });
  return body.recommendations.map(({ target_id: target }) => target);
}

it('finds no difference between two models of the same data', async () => {
  const result = await compare({ other_model_id: 'same' });
  expect(result).toMatchObject({
    length: 20, a: { model_id: 'shop', version: 1, users: 60, items: 100 }, b: { model_id: 'same' }, risen: [], fallen: [],
    users: { compared: 60, unknown_to_b: 0, mean_overlap: 1, identical: 60, most_changed: [] }, items: { compared: 100, mean_overlap: 1, identical: 100 },
  });
  expect([result.b.coverage, result.b.novelty]).toEqual([result.a.coverage, result.a.novelty]);
  expect(result.a.novelty).toBeGreaterThan(0);
});

it('measures overlap, coverage and movers as the lists of the routes differ', async () => {
  const result = await compare({ other_model_id: 'plain', length: '8' });
  const overlaps: number[] = [];
  const counts = { a: new Map<string, number>(), b: new Map<string, number>() };
  for (let user = 0; user < 60; user += 1) {
    const lists = { a: await listOf('shop', `user ${String(user).padStart(3, '0')}`), b: await listOf('plain', `user ${String(user).padStart(3, '0')}`) };
    overlaps.push(lists.a.filter((id) => lists.b.includes(id)).length / lists.a.length);
    for (const side of ['a', 'b'] as const) for (const id of lists[side]) counts[side].set(id, (counts[side].get(id) ?? 0) + 1);
  }
  expect(result.users.mean_overlap).toBeCloseTo(overlaps.reduce((sum, each) => sum + each) / 60, 5);
  expect(result.users.mean_overlap).toBeLessThan(1);
  expect([result.a.coverage, result.b.coverage]).toEqual([counts.a.size / 100, counts.b.size / 100]);
  expect(result.users.most_changed[0]?.overlap).toBeCloseTo(Math.min(...overlaps), 5);
  expect(result.items.most_changed.length).toBeGreaterThan(0);
  for (const { id, a, b } of [...result.risen, ...result.fallen]) expect([a, b], id).toEqual([counts.a.get(id) ?? 0, counts.b.get(id) ?? 0]);
  expect(result.risen.length + result.fallen.length).toBeGreaterThan(0);
  const [most] = result.fallen;
  const falls = [...counts.a].map(([id, count]) => count - (counts.b.get(id) ?? 0));
  expect((most?.a ?? 0) - (most?.b ?? 0)).toBe(Math.max(...falls));
});

it('lets other requests be answered while it compares', async () => {
  const order: string[] = [];
  const comparing = compare({ other_model_id: 'plain', length: '100' }).then(() => order.push('comparison'));
  await Promise.all([comparing, listOf('shop', 'user 001').then(() => order.push('list'))]);
  expect(order).toEqual(['list', 'comparison']);
});

it('draws the same sample for a seed, another for another seed, and not more than asked', async () => {
  const ask = (seed: string) => compare({ other_model_id: 'plain', sample: '10', seed });
  expect(await ask('5')).toEqual(await ask('5'));
  expect(await ask('5')).toMatchObject({ users: { compared: 10 }, items: { compared: 10 } });
  expect(JSON.stringify((await ask('5')).users)).not.toBe(JSON.stringify((await ask('6')).users));
});

it('compares kept versions of one model', async () => {
  await servers.publish('kept', () => ({}));
  await servers.publish('kept');
  const result = await compare({ model_id: 'kept', other_version: '1' });
  expect([result.a.version, result.b.version]).toEqual([2, 1]);
  expect(result.users.mean_overlap).toBe((await compare({ model_id: 'shop', other_model_id: 'plain' })).users.mean_overlap);
});

it('refuses what cannot be compared, with the reason, and one comparison more than it can do', async () => {
  const cases: [Record<string, string>, number, string, RegExp][] = [
    [{}, 422, 'invalid-parameter', /Both sides are version 1 of the model "shop"/],
    [{ other_model_id: 'shop', version: '1' }, 422, 'invalid-parameter', /Both sides are version 1/],
    [{ other_model_id: 'nobody-has-it' }, 404, 'unknown-model', /nobody-has-it/],
    [{ other_version: '9' }, 404, 'unknown-version', /has no version 9\. The kept versions are 1; version 1 serves/],
    [{ version: '2147483647' }, 404, 'unknown-version', /has no version 2147483647\./],
    [{ version: '2147483648' }, 422, 'invalid-parameter', /version/],
    [{ other_version: '2147483648' }, 422, 'invalid-parameter', /other_version/],
    [{ other_model_id: 'plain', sample: '0' }, 422, 'invalid-parameter', /sample/],
    [{ other_model_id: 'plain', length: '101' }, 422, 'invalid-parameter', /length/],
  ];
  for (const [query, status, code, detail] of cases) {
    expect(await servers.call('GET', `compare?${String(new URLSearchParams({ model_id: 'shop', ...query }))}`), JSON.stringify(query)).toMatchObject({ status, body: { code, detail: expect.stringMatching(detail) as string } });
  }
  expect((await servers.call('GET', 'compare?model_id=shop&other_model_id=plain', undefined, { organization: 'globex' })).status).toBe(404);
  const both = await Promise.all([0, 1].map(() => servers.call('GET', 'compare?model_id=shop&other_model_id=plain')));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 503]);
  await compare({ other_model_id: 'plain' });
});
