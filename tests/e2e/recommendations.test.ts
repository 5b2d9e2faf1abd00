import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, ListRow } from '../../packages/recommender/conformance/client.ts';
import {
  coldFilm, entitiesCsv, fans, films, historyOf, interactionsCsv, lovers, newcomer, risingFilm, romance, scienceFiction, series,
  unlisted,
} from '../../packages/recommender/conformance/sampleData.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let client: Client;
const model_id = 'm';

beforeAll(async () => {
  vouch = await startVouch();
  ({ client } = vouch);
  await client.upload([entitiesCsv({ 'scifi-3': 'Quote " and, comma' }), interactionsCsv()]);
  await client.train({ model_id });
});

afterAll(async () => vouch.stop());

const unlistedQuoted = `"${unlisted}"`;
const ofType = (rows: readonly ListRow[], prefix: string): ListRow[] => rows.filter(({ target }) => target.startsWith(prefix));

describe('related_items as CSV', () => {
  it('has the columns source_id,target_id,#,score, ranks from 1 and scores of six decimals that never rise', async () => {
    const { text, headers } = await client.related({ model_id });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(text.slice(0, text.indexOf('\n'))).toBe('source_id,target_id,#,score');
    const rows = await client.relatedRows({ model_id });
    const bySource = new Map<string, ListRow[]>();
    for (const row of rows) bySource.set(row.source, [...(bySource.get(row.source) ?? []), row]);
    expect(bySource.size).toBe(films.length + series.length + fans.length + lovers.length + 3);
    for (const [source, list] of bySource) {
      expect(list.map(({ rank }) => rank), source).toEqual(list.map((_, index) => index + 1));
      expect(list.length).toBeLessThanOrEqual(100);
      const scores = list.map(({ score }) => Number(score));
      expect(scores, source).toEqual([...scores].sort((left, right) => right - left));
      expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
      expect(new Set(list.map(({ target }) => target)).size).toBe(list.length);
    }
  });

  it('puts an id with a comma into quotes', async () => {
    const { text } = await client.related({ model_id, entity_id: unlistedQuoted, max_recommendations: 1 });
    expect(text).toContain(`\n${unlistedQuoted},`);
  });

  it('lists each entity once, however often and wherever it is asked for', async () => {
    const entity_id = ['scifi-1,scifi-2', 'scifi-1', ' scifi-2 ,'];
    const rows = await client.relatedRows({ model_id, entity_id, max_recommendations: 2 });
    expect(rows.map(({ source }) => source)).toEqual(['scifi-1', 'scifi-1', 'scifi-2', 'scifi-2']);
  });
});

describe('the sources of related_items', () => {
  it('that are items answer with related items and never with themselves', async () => {
    for (const id of ['scifi-1', 'series-1', 'romance-1', unlistedQuoted]) {
      const { recommendations } = await client.relatedJson({ model_id, entity_id: id, max_recommendations: 200 });
      expect(recommendations.length).toBeGreaterThan(0);
      expect(recommendations.some(({ target_id: target, source_id: source }) => target === source)).toBe(false);
      expect(recommendations.flatMap(({ reasons }) => reasons.map(({ kind }) => kind))).not.toContain('history');
    }
    const near = await client.relatedRows({ model_id, entity_id: 'romance-1', max_recommendations: 10, entity_type: 'film' });
    expect(near.every(({ target }) => romance.includes(target))).toBe(true);
  });

  it('that are users answer with items that they have not seen, for their history', async () => {
    const seen = new Set(historyOf('fan-0'));
    const { recommendations } = await client.relatedJson({ model_id, entity_id: 'fan-0', max_recommendations: 10_000 });
    const targets = recommendations.map(({ target_id: target }) => target);
    expect(targets.filter((target) => seen.has(target))).toEqual([]);
    const own = new Set([coldFilm, ...scienceFiction, ...series]);
    expect(targets.slice(0, 10).filter((target) => !own.has(target))).toEqual([]);
    const reasons = recommendations.slice(0, 10).flatMap((each) => each.reasons);
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) {
      expect(reason.kind).toBe('history');
      expect((reason.ids ?? []).filter((id) => !seen.has(id))).toEqual([]);
    }
  });

  it('without a history and of no item type answer with trending items and say so', async () => {
    const list = await client.relatedRows({ model_id, entity_id: newcomer, entity_type: 'film', max_recommendations: 5 });
    const trending = await client.trendingRows({ model_id, entity_type: 'film', max_recommendations: 5 });
    const shownOf = (rows: readonly ListRow[]): string[][] => rows.map(({ target, score }) => [target, score]);
    expect(shownOf(list)).toEqual(shownOf(trending));
    const { recommendations } = await client.relatedJson({ model_id, entity_id: newcomer, max_recommendations: 5 });
    expect(recommendations.map(({ reasons }) => reasons.map(({ kind }) => kind))).toEqual(recommendations.map(() => ['trending']));
  });

  it('that nobody touched but that are of an item type answer with items like them, and say by what', async () => {
    const query = { model_id, entity_id: coldFilm, entity_type: 'film', max_recommendations: 20 };
    const { recommendations } = await client.relatedJson(query);
    expect(recommendations.length).toBe(20);
    expect(recommendations.filter(({ target_id: target }) => !scienceFiction.includes(target))).toEqual([]);
    expect(recommendations.every(({ reasons }) => reasons.length > 0)).toBe(true);
  });

  it('are limited by source_type where entity_id is absent', async () => {
    const rows = await client.relatedRows({ model_id, source_type: 'series', max_recommendations: 1 });
    expect(rows.map(({ source }) => source).sort()).toEqual([...series].sort());
    const users = await client.relatedRows({ model_id, source_type: 'user,series', max_recommendations: 1 });
    expect(new Set(users.map(({ source }) => source))).toEqual(new Set([...fans, newcomer, ...series]));
    expect(await client.relatedRows({ model_id, source_type: 'no-such-type' })).toEqual([]);
    expect(await client.relatedRows({ model_id, source_type: '' })).toEqual(await client.relatedRows({ model_id }));
  });

  it('that are unknown are named; where all are, nothing is found', async () => {
    const query = { model_id, entity_id: 'scifi-1,nobody,"no, one"', max_recommendations: 1 };
    const reply = await client.related({ ...query, output_format: 'json' });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-unknown-entity-count')).toBe('2');
    expect(reply.json<{ unknown_ids: string[] }>().unknown_ids).toEqual(['nobody', 'no, one']);
    const csv = await client.related({ model_id, entity_id: 'scifi-1,nobody', max_recommendations: 1 });
    expect(csv.headers.get('x-unknown-entity-count')).toBe('1');
    const none = await client.related({ model_id, entity_id: 'nobody' });
    expect([none.status, none.json<{ code: string }>().code]).toEqual([404, 'unknown-entity']);
  });

  it('of types that are unknown are none, and the answer names the types', async () => {
    for (const reply of [
      await client.related({ model_id, entity_id: 'scifi-1', entity_type: 'Series,series', output_format: 'json' }), await client.related({ model_id, source_type: 'Series,series', output_format: 'json' }),
      await client.trending({ model_id, entity_type: 'Series,series', output_format: 'json' }),
    ]) expect([reply.status, reply.headers.get('x-unknown-type-count'), reply.json<{ unknown_types?: string[] }>().unknown_types]).toEqual([200, '1', ['Series']]);
    expect((await client.related({ model_id, entity_id: 'scifi-1', entity_type: 'no-such-type' })).headers.get('x-unknown-type-count')).toBe('1');
    expect((await client.related({ model_id, entity_id: 'scifi-1', entity_type: 'series' })).headers.get('x-unknown-type-count')).toBeNull();
  });
});

describe('the items of related_items', () => {
  it('are of the types that occur as targets, or of those that entity_type names', async () => {
    const free = await client.relatedRows({ model_id, entity_id: 'scifi-1', max_recommendations: 1000 });
    expect(ofType(free, 'fan-').length + ofType(free, 'user-').length).toBe(0);
    expect(ofType(free, 'series-').length).toBeGreaterThan(0);
    const only = await client.relatedRows({ model_id, entity_id: 'scifi-1', entity_type: 'series', max_recommendations: 1000 });
    expect(only.map(({ target }) => target)).toEqual(ofType(free, 'series-').map(({ target }) => target));
    expect(await client.relatedRows({ model_id, entity_id: 'scifi-1', entity_type: 'no-such-type' })).toEqual([]);
  });

  it('carry type, name and media_url of their entity as JSON, null where there is none', async () => {
    const query = { model_id, entity_id: 'scifi-2,romance-2', max_recommendations: 1000 };
    const { recommendations, recommendation_id: id, ...head } = await client.relatedJson(query);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(head).toEqual({ model_id, model_version: 1, kept_per_type: 100, unknown_ids: [] });
    const named = recommendations.find(({ target_id: target }) => target === 'scifi-3');
    expect(named).toMatchObject({ type: 'film', name: 'Quote " and, comma', media_url: 'https://media.example/scifi-3.mp4' });
    const without = recommendations.find(({ target_id: target }) => target === unlisted);
    expect(without).toMatchObject({ type: null, name: null, media_url: null });
    const show = recommendations.find(({ target_id: target }) => target.startsWith('series-'));
    expect(show).toMatchObject({ type: 'series', media_url: null });
  });

  it('have reasons of known kinds with shares that do not exceed the whole', async () => {
    const entity_id = `scifi-2,${coldFilm},fan-1,${newcomer}`;
    const { recommendations } = await client.relatedJson({ model_id, entity_id, max_recommendations: 10 });
    expect(recommendations.length).toBe(40);
    for (const { reasons } of recommendations) {
      expect(reasons.length).toBeGreaterThan(0);
      for (const { kind, share } of reasons) {
        expect(['co_interaction', 'attribute', 'history', 'trending']).toContain(kind);
        expect(share).toBeGreaterThan(0);
        expect(share).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe('trending_items', () => {
  it('puts what is wanted more than usual first in each type, with an empty source and its largest score at 1', async () => {
    const rows = await client.trendingRows({ model_id, entity_type: 'film' });
    expect(rows[0]).toEqual({ source: '', target: risingFilm, rank: 1, score: '1.000000' });
    const shows = await client.trendingRows({ model_id, entity_type: 'series' });
    expect(shows[0]?.score).toBe('1.000000');
    const both = await client.trendingRows({ model_id, entity_type: 'series,film' });
    expect(both.length).toBe(rows.length + shows.length);
    expect(both.map(({ rank }) => rank)).toEqual(both.map((_, index) => index + 1));
    const scores = both.map(({ score }) => Number(score));
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
  });

  it('has a null source and the reason trending as JSON', async () => {
    const { recommendations } = await client.trendingJson({ model_id, max_recommendations: 3 });
    expect(recommendations.every(({ source_id: source }) => source === null)).toBe(true);
    expect(recommendations.every(({ reasons }) => reasons.some(({ kind }) => kind === 'trending'))).toBe(true);
  });

  it('lists no item that nobody touched', async () => {
    const rows = await client.trendingRows({ model_id, max_recommendations: 10_000 });
    expect(rows.map(({ target }) => target)).not.toContain(coldFilm);
    expect(rows.map(({ target }) => target)).not.toContain(newcomer);
  });
});

it('the same question gets the same bytes', async () => {
  const ask = async (): Promise<string> => (await client.related({ model_id })).text + (await client.trending({ model_id })).text;
  expect(await ask()).toBe(await ask());
});
