import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filmData, trainOn } from '../testing/filmData.ts';
import { servingOf } from '../testing/listServing.ts';
import { Recommender } from '../engine/query/recommender.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { withModel } from '../testing/withModel.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { entitiesRoute } from './entities.route.ts';
import type { EntityRecord } from './entities.schema.ts';
import type { ModelCache } from './modelCache.ts';
import type { RecommendationsAnswer } from './recommendation.schema.ts';
import { RecentView } from './recentView.ts';
import { relatedItemsRoute } from './relatedItems.route.ts';
import { trendingItemsRoute } from './trendingItems.route.ts';

const films = 160;
const formula = "=cmd|' /C calc'!A0";
/** As long as an id may be. */
const longId = 'user 088'.padEnd(1024, '.');

let database: TestDatabase;
let at: TestServer;
let close: () => void;
let closed: Promise<void>;
/** Number of films in the history of user 003. */
let seen: number;
/** What happened since the training. */
const events = new RecentEvents().of('o');

/** Stores films of one type, one of them with an id that a spreadsheet would execute, and users, the last of them with the longest and the shortest id. */
beforeAll(async () => {
  database = await openTestDatabase();
  const made = filmData(films, 90, 7);
  const data = { ...made, nodes: { ...made.nodes, ids: [formula, ...made.nodes.ids.slice(1, -2), longId, 'z'], names: made.nodes.names.map((name, node) => (node === films - 1 ? 'zebra' : name)) } };
  seen = data.pairs.source.filter((node) => data.nodes.ids[node] === 'user 003').length;
  await new Promise<void>((ready, failed) => {
    closed = withModel(trainOn(data), async (reader) => {
      const held = { version: 1, recommender: new Recommender(reader, new RecentView(reader, events, { eventsThrough: 0, batchesThrough: 0, dataTags: [], maximumAgeMs: null, weights: {}, filter: null })) };
      const models: Pick<ModelCache, 'hold' | 'peek'> = { peek: () => held, hold: async () => ({ ...held, release: () => undefined }) };
      const platform = { random: systemInterfaces.random } as Platform;
      at = await startTestServer(database, {
        errors: [recommenderErrors],
        routes: [(scope) => {
          relatedItemsRoute(scope, platform, servingOf(models as ModelCache));
          trendingItemsRoute(scope, platform, servingOf(models as ModelCache));
          entitiesRoute(scope, platform, models as ModelCache);
        }],
      });
      ready();
      await new Promise<void>((resolve) => { close = resolve; });
    });
    closed.catch(failed);
  });
});

afterAll(async () => {
  await at.server.close();
  close();
  await closed;
  await database.close();
});

function ask(route: string, query: Record<string, string>): Promise<Response> {
  const model: Record<string, string> = route.startsWith('m/') ? {} : { model_id: 'm' };
  return fetch(`${at.url}/v1/recommender/${route}?${new URLSearchParams({ ...model, ...query })}`, { headers: { apikey: 'o:recommend:read' } });
}

async function json(route: string, query: Record<string, string>): Promise<RecommendationsAnswer> {
  const answer = await ask(route, { ...query, output_format: 'json' });
  expect(answer.status).toBe(200);
  return await answer.json() as RecommendationsAnswer;
}

async function csv(route: string, query: Record<string, string>): Promise<string[]> {
  const answer = await ask(route, query);
  expect(answer.status).toBe(200);
  return (await answer.text()).trimEnd().split('\n').slice(1);
}

describe('the search of entities', () => {
  const search = async (query: Record<string, string>): Promise<{ ids: string[]; records: EntityRecord[]; link: string }> => {
    const answer = await ask('m/entities', query);
    const records = await answer.json() as EntityRecord[];
    return { ids: records.map(({ id }) => id), records, link: answer.headers.get('link') ?? '' };
  };

  it('finds the beginning of a name or id first, in any case, and then the middle', async () => {
    expect((await search({ query: 'FILM 01', limit: '3' })).ids).toEqual(['film 010', 'film 011', 'film 012']);
    const { ids } = await search({ query: '10', limit: '200' });
    expect(ids.length).toBeGreaterThan(3);
    expect(ids.every((id) => id.includes('10'))).toBe(true);
    expect((await search({ query: 'nobody' })).ids).toEqual([]);
  });

  it('finds an entity by its whole id first, however long the id is and however many ids contain it', async () => {
    expect((await search({ query: 'z' })).ids).toEqual(['z', 'film 159']);
    const paged = await search({ query: 'z', limit: '1' });
    const next = Object.fromEntries(new URLSearchParams(/\?([^>]+)/.exec(paged.link)?.[1]));
    expect(paged.ids).toEqual(['z']);
    expect((await search(next)).ids).toEqual(['film 159']);
    expect((await search({ query: longId })).ids).toEqual([longId]);
    expect((await search({ query: longId, entity_type: 'film' })).ids).toEqual([]);
  });

  it('says what the lists of an entity are based on', async () => {
    const [user] = (await search({ query: 'user 003' })).records;
    expect(user).toMatchObject({ id: 'user 003', role: 'user', interactions: seen });
    const [film] = (await search({ query: 'film 001', entity_type: 'film' })).records;
    expect(film).toMatchObject({ id: 'film 001', type: 'film', role: 'item' });
    expect((await search({ query: 'film 001', entity_type: 'user' })).ids).toEqual([]);
  });

  it('does not find deleted users and items', async () => {
    for (const id of ['user 004', 'film 004']) {
      events.setHidden(id, true);
      expect((await search({ query: id })).ids).toEqual([]);
      events.setHidden(id, false);
      expect((await search({ query: id })).ids).toEqual([id]);
    }
  });

  it('has every entity on exactly one page', async () => {
    const all: string[] = [];
    for (let query: Record<string, string> = { limit: '100' }; ;) {
      const { ids, link } = await search(query);
      all.push(...ids);
      if (link === '') break;
      query = Object.fromEntries(new URLSearchParams(/\?([^>]+)/.exec(link)?.[1]));
      expect(query).toMatchObject({ limit: '100' });
    }
    expect([all.length, new Set(all).size]).toEqual([films + 90, films + 90]);
  });
});

describe('max_recommendations', () => {
  it('beyond what the model keeps for an item gets all of it, and the answer says how many these are', async () => {
    const answer = await ask('related_items', { entity_id: 'film 001', max_recommendations: '1000', output_format: 'json' });
    const { kept_per_type: kept, recommendations } = await answer.json() as RecommendationsAnswer;
    expect([answer.headers.get('x-kept-per-type'), kept, recommendations.length]).toEqual(['100', 100, 100]);
    const rows = await ask('related_items', { entity_id: 'film 001', max_recommendations: '1000' });
    expect([rows.headers.get('x-kept-per-type'), (await rows.text()).trimEnd().split('\n').length]).toEqual(['100', 101]);
  });

  it('exports all lists in JSON with the rows of CSV, and with reasons only if they are asked for', async () => {
    const lines = (await (await ask('related_items', { source_type: 'film' })).text()).trimEnd().split('\n').slice(1);
    const { recommendations } = await json('related_items', { source_type: 'film' });
    expect(recommendations.map(({ source_id: source, target_id: target, rank, score }) => `${source},${target},${rank},${score.toFixed(6)}`)).toEqual(lines);
    expect(recommendations.every(({ reasons }) => reasons.length === 0)).toBe(true);
    const explained = await json('related_items', { source_type: 'film', max_recommendations: '2', explain: 'true' });
    expect(explained.recommendations.some(({ reasons }) => reasons.length > 0)).toBe(true);
    const { recommendations: short } = await json('related_items', { entity_id: 'film 001', explain: 'false' });
    expect(short.every(({ reasons }) => reasons.length === 0)).toBe(true);
  });

  it('beyond that is honoured for users and trending items, of which the model holds more', async () => {
    const rows = await csv('related_items', { entity_id: 'user 003', max_recommendations: '10000' });
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.length).toBeLessThanOrEqual(films - seen);
    expect(await csv('related_items', { entity_id: 'user 003', max_recommendations: '120' })).toEqual(rows.slice(0, 120));
    expect((await csv('trending_items', { max_recommendations: '10000' })).length).toBe(films - 10);
  });
});

describe('an id that the model does not know', () => {
  it('gets what is trending where unknown=trending is asked for, as JSON with the reason and as CSV', async () => {
    const trending = await json('trending_items', { max_recommendations: '5' });
    const { unknown_ids: unknown, recommendations } = await json('related_items', { entity_id: 'new "visitor"', unknown: 'trending', max_recommendations: '5' });
    expect(unknown).toEqual(['new "visitor"']);
    expect(recommendations).toHaveLength(5);
    expect(recommendations).toEqual(trending.recommendations.map((each) => ({ ...each, source_id: 'new "visitor"' })));
    for (const { reasons } of recommendations) expect(reasons).toEqual([{ kind: 'trending', count: expect.any(Number) as number, share: 1, text: expect.stringMatching(/^Chosen by/) as string }]);
    const rows = await csv('related_items', { entity_id: '"new ""visitor"""', unknown: 'trending', max_recommendations: '5' });
    expect(rows).toEqual(recommendations.map(({ target_id: target, rank, score }) => `"new ""visitor""",${target},${rank},${score.toFixed(6)}`));
  });

  it.each([3, 12])('stands in its place among known ones, of %i ids, and is still listed as unknown', async (count) => {
    const ids = Array.from({ length: count }, (_, number) => (number % 3 === 1 ? `visitor ${number}` : `film ${String(number + 1).padStart(3, '0')}`));
    const query = { entity_id: ids.join(','), max_recommendations: '2' };
    const { unknown_ids: unknown, recommendations } = await json('related_items', { ...query, unknown: 'trending' });
    expect(unknown).toEqual(ids.filter((id) => id.startsWith('visitor')));
    expect([...new Set(recommendations.map(({ source_id: source }) => source))]).toEqual(ids);
    const answer = await ask('related_items', { ...query, unknown: 'trending' });
    expect(answer.headers.get('x-unknown-entity-count')).toBe(String(unknown.length));
    const rows = (await answer.text()).trimEnd().split('\n').slice(1);
    expect([...new Set(rows.map((row) => row.split(',')[0]))]).toEqual(ids);
    // Without the parameter, only known ids have lists.
    const known = await json('related_items', query);
    expect([known.unknown_ids, new Set(known.recommendations.map(({ source_id: source }) => source)).size]).toEqual([unknown, count - unknown.length]);
  });

  it('gets a list that entity_type and threshold limit', async () => {
    const query = { entity_id: 'visitor', unknown: 'trending', max_recommendations: '1000' };
    const all = await json('related_items', query);
    const threshold = all.recommendations[4]?.score ?? 1;
    const above = await json('related_items', { ...query, threshold: String(threshold) });
    expect(above.recommendations).toEqual(all.recommendations.filter(({ score }) => score >= threshold));
    expect(above.recommendations.length).toBeLessThan(all.recommendations.length);
    expect((await json('related_items', { ...query, entity_type: 'film' })).recommendations).toEqual(all.recommendations);
    expect((await json('related_items', { ...query, entity_type: 'series' })).recommendations).toEqual([]);
  });

  it('is 404 unless that is asked for, with a sentence that names the way', async () => {
    for (const wish of [{}, { unknown: 'error' }] as Record<string, string>[]) {
      const answer = await ask('related_items', { entity_id: 'visitor', ...wish });
      const { code, detail } = await answer.json() as { code: string; detail: string };
      expect([answer.status, code]).toEqual([404, 'unknown-entity']);
      expect(detail).toContain('unknown=trending');
    }
    expect((await ask('related_items', { entity_id: 'visitor', unknown: 'popular' })).status).toBe(422);
  });
});

describe('an id that a spreadsheet would take for a formula', () => {
  it.each(['related_items', 'trending_items'])('has an apostrophe before it in CSV of %s where csv_safe=true is asked for, and none otherwise', async (route) => {
    const query = { max_recommendations: '10000' };
    const exact = await csv(route, query);
    const safe = await csv(route, { ...query, csv_safe: 'true' });
    expect(exact.filter((row) => row.includes(`,${formula},`)).length).toBeGreaterThan(0);
    expect(safe).toEqual(exact.map((row) => row.replaceAll(/(^|,)=/g, "$1'=")));
    expect(await csv(route, { ...query, csv_safe: 'false' })).toEqual(exact);
  });

  it('stays as it is in JSON, and gets the apostrophe where it is asked for by name', async () => {
    const [row] = await csv('related_items', { entity_id: formula, csv_safe: 'true', max_recommendations: '1' });
    expect(row?.startsWith(`'${formula},`)).toBe(true);
    const { recommendations } = await json('related_items', { entity_id: formula, csv_safe: 'true', max_recommendations: '1' });
    expect(recommendations[0]?.source_id).toBe(formula);
    const [stranger] = await csv('related_items', { entity_id: '"@SUM(1,2)"', unknown: 'trending', csv_safe: 'true', max_recommendations: '1' });
    expect(stranger?.startsWith(`"'@SUM(1,2)",`)).toBe(true);
  });
});
