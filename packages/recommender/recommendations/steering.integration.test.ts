import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Recommender } from '../engine/query/recommender.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { filmData, trainOn } from '../testing/filmData.ts';
import { withModel } from '../testing/withModel.ts';
import type { ModelCache } from './modelCache.ts';
import { recommendRoute } from './recommend.route.ts';
import { relatedItemsRoute } from './relatedItems.route.ts';
import { trendingItemsRoute } from './trendingItems.route.ts';

interface Row {
  target_id: string;
  rank: number;
  score: number;
  reasons: unknown[];
  source_id: string | null;
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
      const platform = { random: systemInterfaces.random } as Platform;
      at = await startTestServer(database, {
        errors: [recommenderErrors],
        routes: [(server) => { relatedItemsRoute(server, platform, models); trendingItemsRoute(server, platform, models); recommendRoute(server, platform, models); }],
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
  unknown_ids: string[];
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

async function listed(body: object): Promise<string[]> {
  const answer = await post(body);
  expect(answer.status, answer.body.detail).toBe(200);
  return answer.body.recommendations.map(({ target_id: id }) => id);
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

it('recommends for an entity, for several, and trending items for nobody, as the GETs do', async () => {
  for (const id of ['user 003', 'film 005']) {
    const { body } = await get('related_items', { entity_id: id, max_recommendations: '9', threshold: '0.1' });
    expect((await post({ entity_id: id, max_recommendations: 9, threshold: 0.1, explain: true })).body.recommendations).toEqual(body.recommendations);
  }
  const { body } = await post({ entity_id: ['user 003', 'film 005', 'nobody'], max_recommendations: 2 });
  expect(body.recommendations.map(({ source_id: id }) => id)).toEqual(['user 003', 'user 003', 'film 005', 'film 005']);
  expect(body.unknown_ids).toEqual(['nobody']);
  expect(body.recommendations[0]?.reasons).toEqual([]);
  const trending = (await get('trending_items', { max_recommendations: '5' })).body.recommendations;
  expect(await listed({ max_recommendations: 5 })).toEqual(trending.map(({ target_id: id }) => id));
});

it('recommends for a session by its examples, and negative examples push away', async () => {
  const genreOf = (id: string): number => Number(id.slice('film '.length)) % 4;
  const session = await listed({ history: [{ id: 'film 001' }, { id: 'film 005' }], max_recommendations: 8 });
  expect(session.filter((id) => genreOf(id) === 1).length).toBeGreaterThan(5);
  expect(session).not.toContain('film 001');
  const pushed = await listed({ history: [{ id: 'film 001' }, { id: 'film 002' }, { id: 'film 006', type: 'dislike' }, { id: 'film 010', weight: -1 }], max_recommendations: 20 });
  const neutral = await listed({ history: [{ id: 'film 001' }, { id: 'film 002' }], max_recommendations: 20 });
  const second = (ids: string[]): number => ids.filter((id) => genreOf(id) === 2).length;
  expect(second(pushed)).toBeLessThan(second(neutral));
  expect(pushed).not.toContain('film 006');
  // The latest entry decides by time, whatever the order: after the dislike, the item is liked again.
  const again = [{ id: 'film 001', timestamp: '2025-01-02' }, { id: 'film 001', type: 'dislike', timestamp: 1_735_689_600 }];
  expect(await listed({ history: again, max_recommendations: 8 })).toEqual(await listed({ history: [{ id: 'film 001' }], max_recommendations: 8 }));
  const { body } = await post({ history: [{ id: 'film 001' }, { id: 'nothing' }], explain: true, max_recommendations: 1 });
  expect(body.unknown_ids).toEqual(['nothing']);
  expect(body.recommendations[0]?.reasons).toMatchObject([{ kind: 'history', ids: ['film 001'] }]);
  expect(await listed({ entity_id: 'user 003', history: [], max_recommendations: 9 })).toEqual(await listed({ entity_id: 'user 003', max_recommendations: 9 }));
});

it('ranks candidates, leaves out excluded and seen items, and includes seen ones if asked', async () => {
  const whole = await listed({ entity_id: 'user 003', max_recommendations: 100 });
  const candidates = [whole[7], whole[2], whole[40], 'unknown one'];
  const { body } = await post({ entity_id: 'user 003', candidates });
  expect(body.recommendations.map(({ target_id: id }) => id)).toEqual([whole[2], whole[7], whole[40]]);
  expect(body.unknown_ids).toEqual(['unknown one']);
  // The last ten films have no interactions, and the model connects a film of another genre only weakly.
  expect(new Set(await listed({ entity_id: 'film 005', candidates: ['film 090', 'film 095', 'film 009'] }))).toEqual(new Set(['film 090', 'film 095', 'film 009']));
  expect(await listed({ entity_id: 'user 003', exclude: whole.slice(0, 3), max_recommendations: 5 })).toEqual(whole.slice(3, 8));
  const seen = await listed({ entity_id: 'user 003', include_seen: true, max_recommendations: 100 });
  expect(seen.filter((id) => whole.includes(id))).toEqual(expect.arrayContaining(whole));
  expect(seen.length).toBeGreaterThan(whole.length + 3);
});

it('arranges by boost, diversity, groups and pinned items, and pages the result', async () => {
  const makerOf = (id: string): number => Number(id.slice('film '.length)) % 5;
  const grouped = await listed({ entity_id: 'user 003', per_group: { column: 'maker', limit: 2 }, max_recommendations: 50 });
  for (const maker of [0, 1, 2, 3, 4]) expect(grouped.filter((id) => makerOf(id) === maker).length).toBe(2);
  const plain = await listed({ entity_id: 'user 003', max_recommendations: 20 });
  const diverse = await listed({ entity_id: 'user 003', diversity: 0.7, max_recommendations: 20 });
  const genres = (ids: string[]): number => new Set(ids.slice(0, 4).map((id) => Number(id.slice('film '.length)) % 4)).size;
  expect(genres(diverse)).toBeGreaterThan(genres(plain));
  expect(diverse[0]).toBe(plain[0]);
  const pinned = [{ id: 'film 095', position: 2 }, { id: plain[5], position: 1 }];
  const placed = await listed({ entity_id: 'user 003', pinned, filter: 'item.id != "film 095"', max_recommendations: 6 });
  expect(placed).toEqual([plain[5], 'film 095', ...plain.slice(0, 4)]);
  expect(await listed({ entity_id: 'user 003', pinned, max_recommendations: 3, offset: 3 })).toEqual(placed.slice(3, 6));
  expect((await listed({ entity_id: 'user 003', boost: 'item.maker == "maker 3" ? 1000 : 0', max_recommendations: 3 })).map(makerOf)).toEqual([3, 3, 3]);
});

it('refuses a request that it cannot carry out with a sentence', async () => {
  const refused: [object, number, string][] = [
    [{ history: Array.from({ length: 100_000 }, (_, item) => ({ id: `i${item}` })) }, 422, 'history'],
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
