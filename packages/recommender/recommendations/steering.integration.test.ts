import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Recommender } from '../engine/query/recommender.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { filmData, trainOn } from '../testing/filmData.ts';
import { servingOf } from '../testing/listServing.ts';
import { withModel } from '../testing/withModel.ts';
import type { ModelCache } from './modelCache.ts';
import { explainRoute } from './explain.route.ts';
import { recommendRoute } from './recommend.route.ts';
import { relatedItemsRoute } from './relatedItems.route.ts';
import { trendingItemsRoute } from './trendingItems.route.ts';

interface Row {
  target_id: string;
  rank: number;
  score: number;
}

let database: TestDatabase;
let at: TestServer;
let finish: () => void = () => undefined;
let open: Promise<void> = Promise.resolve();

beforeAll(async () => {
  database = await openTestDatabase();
  const data = filmData(100, 60, 3);
  const time = Float64Array.from(data.pairs.time, (_, pair) => 1e12 + pair * 1e7);
  const metadata = data.nodes.ids.map((_, node) => JSON.stringify(node < 100 ? { genre: `genre ${node % 4}`, price: node, maker: `maker ${node % 5}` } : { budget: 50 }));
  const model = trainOn({ ...data, nodes: { ...data.nodes, metadata }, pairs: { ...data.pairs, time } });
  await new Promise<void>((ready, fail) => {
    open = withModel(model, async (reader) => {
      const held = { version: 1, recommender: new Recommender(reader), release: () => undefined };
      const models = { peek: () => held, hold: () => Promise.resolve(held) } as unknown as ModelCache;
      const serving = servingOf(models);
      const platform = { random: systemInterfaces.random } as Platform;
      at = await startTestServer(database, {
        errors: [recommenderErrors],
        routes: [(server) => { relatedItemsRoute(server, platform, serving); trendingItemsRoute(server, platform, serving); recommendRoute(server, platform, serving); explainRoute(server, platform, serving); }],
      });
      ready();
      await new Promise<void>((resolve) => { finish = resolve; });
    });
    open.catch(fail);
  });
});
afterAll(async () => {
  await at.server.close();
  finish();
  await open;
  await database.close();
});

const headers = { apikey: 'o:recommend:read' };

interface Body {
  recommendations: Row[];
  detail: string;
  errors: { location: string }[];
  code: string;
}

async function get(path: string, query: Record<string, string>): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${at.url}/v1/recommender/${path}?${String(new URLSearchParams({ model_id: 'm', output_format: 'json', ...query }))}`, { headers });
  return { status: answer.status, body: (await answer.json()) as Body };
}

async function post(body: object): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${at.url}/v1/recommender/recommend`, {
    method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ model_id: 'm', ...body }),
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

const priceOf = ({ target_id: id }: Row): number => Number(id.slice('film '.length));

it('filters, pages and ranks on in related and trending items, in JSON and CSV', async () => {
  const filter = 'item.price < user.budget';
  const { body } = await get('related_items', { entity_id: 'user 003', filter, max_recommendations: '12' });
  expect(body.recommendations).toHaveLength(12);
  expect(body.recommendations.every((row) => priceOf(row) < 50)).toBe(true);
  const page = (await get('related_items', { entity_id: 'user 003', filter, max_recommendations: '5', offset: '5' })).body.recommendations;
  expect(page.map(({ target_id: id, rank }) => [id, rank])).toEqual(body.recommendations.slice(5, 10).map(({ target_id: id, rank }) => [id, rank]));
  const csv = await fetch(`${at.url}/v1/recommender/related_items?${String(new URLSearchParams({ model_id: 'm', entity_id: 'user 003', filter, max_recommendations: '5', offset: '5' }))}`, { headers });
  expect((await csv.text()).split('\n').slice(1, -1).map((line) => line.split(',').slice(1, 3))).toEqual(page.map(({ target_id: id, rank }) => [id, String(rank)]));
  const trending = (await get('trending_items', { filter: 'item.price >= 90 || item.price < 5' })).body.recommendations;
  expect(trending.length).toBeGreaterThan(2);
  expect(trending.every((row) => priceOf(row) >= 90 || priceOf(row) < 5)).toBe(true);
});

it('says that a filter is true for no item, in JSON, CSV and lists of all entities, and to no page', async () => {
  const filter = 'item.price > 2 && item.genre == "Genre 1"';
  const detail = '`item.genre == "Genre 1"` in the filter is true for none of 100 items of the model, so no list has an item. Compare it with the metadata of an item: texts are compared exactly, with case and blanks, and a comparison with a missing value is not true.';
  const warnings = [{ code: 'unmatched-filter', detail }];
  for (const { body } of [await get('related_items', { entity_id: 'user 003', filter }), await get('related_items', { filter }), await get('trending_items', { filter }), await post({ entity_id: 'user 003', filter })]) {
    expect(body).toMatchObject({ warnings, recommendations: [] });
  }
  const asCsv = async (path: string, query: Record<string, string>) => fetch(`${at.url}/v1/recommender/${path}?${String(new URLSearchParams({ model_id: 'm', ...query }))}`, { headers });
  for (const answer of [await asCsv('related_items', { entity_id: 'user 003', filter }), await asCsv('related_items', { filter }), await asCsv('trending_items', { filter })]) {
    expect(answer.headers.get('x-warning-count')).toBe('1');
  }
  const passed = await asCsv('related_items', { entity_id: 'user 003', filter: 'item.genre == "genre 1"' });
  expect(passed.headers.get('x-warning-count')).toBeNull();
  for (const some of ['item.genre == "genre 1"', 'item.price < user.budget - 1000']) expect((await post({ entity_id: 'user 003', filter: some })).body).not.toHaveProperty('warnings');
});

it('filters the lists of all entities as they are alone', async () => {
  const filter = 'item.genre == "genre 1"';
  const all = await fetch(`${at.url}/v1/recommender/related_items?${String(new URLSearchParams({ model_id: 'm', filter }))}`, { headers });
  const text = await all.text();
  const alone = await fetch(`${at.url}/v1/recommender/related_items?${String(new URLSearchParams({ model_id: 'm', filter, entity_id: 'user 009' }))}`, { headers });
  const rows = (await alone.text()).split('\n').slice(1);
  expect(rows.length).toBeGreaterThan(5);
  expect(text).toContain(rows.join('\n'));
});

it('answers an expression that cannot be used with 422, the character and the nearest column', async () => {
  const { status, body } = await get('related_items', { entity_id: 'user 003', filter: 'true && item.prise < 3' });
  expect([status, body.code, body.errors[0]?.location]).toEqual([422, 'invalid-expression', 'filter']);
  expect(body.detail).toBe('filter cannot be used: at character 9, at "item.prise < 3", the model has no column "item.prise". The nearest column is item.price.');
  expect((await get('trending_items', { boost: '('.repeat(3000) })).body.detail).toContain('it is too large');
});

it('explains an item of a list with rank and reasons, and an absent item with the clause and its values', async () => {
  const explainOf = async (query: Record<string, string>) => {
    const answer = await fetch(`${at.url}/v1/recommender/explain?${String(new URLSearchParams({ model_id: 'm', ...query }))}`, { headers });
    return { status: answer.status, body: (await answer.json()) as { rank: number; causes: object[]; reasons: object[]; code?: string } };
  };
  const filter = 'item.price < user.budget && item.maker != "maker 1"';
  const whole = (await get('related_items', { entity_id: 'user 003', max_recommendations: '100' })).body.recommendations;
  const outside = whole.find((row) => priceOf(row) >= 50 && priceOf(row) % 5 !== 1);
  const { body } = await explainOf({ source_id: 'user 003', target_id: outside?.target_id ?? '', filter });
  expect(body).toMatchObject({ model_id: 'm', model_version: 1, list: 'history', listed: false });
  expect(body.causes).toEqual([{
    code: 'filtered', clause: 'item.price < user.budget',
    text: `The filter leaves the item out. item.price < user.budget is false: item.price is ${priceOf(outside as Row)}, user.budget is 50.`,
  }]);
  const first = await explainOf({ source_id: 'user 003', target_id: whole[0]?.target_id ?? '' });
  expect(first.body).toMatchObject({ listed: true, rank: 1, score: whole[0]?.score, causes: [], reasons: (whole[0] as unknown as { reasons: object[] }).reasons });
  expect(first.body.reasons.length).toBeGreaterThan(0);
  expect((await explainOf({ target_id: 'film 003', filter: 'item.prise < 3' })).body.code).toBe('invalid-expression');
  expect((await explainOf({ source_id: 'user 003' })).status).toBe(422);
});

it('explains the list of a session as it is served', async () => {
  const history = [{ id: 'film 001' }, { id: 'film 009' }, { id: 'film 002', type: 'dislike' }];
  const filter = 'item.price < 60';
  const served = (await post({ history, filter })).body.recommendations;
  const explainOf = async (target: string, more: object = { filter }) => {
    const answer = await fetch(`${at.url}/v1/recommender/explain`, {
      method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ model_id: 'm', history, target_id: target, ...more }),
    });
    return (await answer.json()) as { list: string; listed: boolean; rank: number; score: number; reasons: object[]; causes: { code: string; text: string }[]; code?: string };
  };
  for (const { target_id: id, rank, score } of [served[0], served[3], served.at(-1)] as Row[]) {
    const explained = await explainOf(id);
    expect(explained).toMatchObject({ source_id: null, list: 'history', listed: true, rank, causes: [] });
    expect(explained.score).toBeCloseTo(score, 5);
    expect(explained.reasons.length).toBeGreaterThan(0);
  }
  expect((await explainOf('film 001')).causes).toMatchObject([{ code: 'seen', text: expect.stringContaining('"film 001" is in the history of the session.') as string }]);
  expect((await explainOf('film 002')).causes).toMatchObject([{ code: 'disliked', text: expect.stringMatching(/^The session rejected/) as string }]);
  const outside = (await post({ history })).body.recommendations.find((row) => priceOf(row) >= 60) as Row;
  expect(await explainOf(outside.target_id)).toMatchObject({ listed: false, rank: expect.any(Number) as number, causes: [{ code: 'filtered' }] });
  expect(await explainOf('film 003', { entity_id: 'nobody', filter })).toMatchObject({ source_id: 'nobody', rank: (await explainOf('film 003')).rank });
  expect((await explainOf('film 003', { history: [] })).list).toBe('trending');
  expect((await explainOf('film 003', { filter: 'item.prise < 3' })).code).toBe('invalid-expression');
});

it('refuses a request that it cannot carry out with a sentence', async () => {
  const refused: [object, number, string][] = [
    [{ history: Array.from({ length: 1_001 }, (_, item) => ({ id: `i${item}` })) }, 422, 'history'],
    [{ history: Array.from({ length: 100_000 }, (_, item) => ({ id: `i${item}` })) }, 413, 'this route accepts at most 1048576'],
    [{ candidates: Array.from({ length: 1001 }, (_, item) => `i${item}`) }, 422, 'candidates'],
    [{ diversity: 'NaN' }, 422, 'diversity'],
    [{ boost: 'item.price * "2"' }, 422, 'boost cannot be used'],
    [{ per_group: { column: 'makr', limit: 1 } }, 422, 'The nearest column is item.maker'],
    [{ entity_id: ['user 001', 'user 002'], history: [] }, 422, 'A session belongs to one entity'],
    [{ history: [{ id: 'film 001', timestamp: 'yesterday' }] }, 422, 'neither ISO 8601 nor a number'],
    [{ pinned: [{ id: 'film 001', position: 1 }, { id: 'film 002', position: 1 }] }, 422, 'a position twice'],
    [{ entity_id: 'nobody' }, 404, 'nobody'],
    [{ limit: 3 }, 422, 'limit'],
  ];
  for (const [body, status, part] of refused) {
    const answer = await post(body);
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(part)]);
  }
});
