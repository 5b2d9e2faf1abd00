import { type Call, type Reply, expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { csvHeader, readRows, type ListAnswer, type ListRow } from './client.ts';
import { row, type Fixture } from './fixture.ts';

type Query = NonNullable<Call['query']>;

/** One of the two routes that answer lists; what both promise is checked alike. */
export interface ListRoute {
  section: string;
  /** A query that answers one list per type or entity, long enough for every check. */
  ask(fixture: Fixture, query?: Query): Promise<Reply>;
  /** Lists that `max_recommendations` bounds, each on its own. */
  groups(rows: readonly ListRow[]): ListRow[][];
}

async function rowsOf(route: ListRoute, fixture: Fixture, query: Query = {}): Promise<ListRow[]> {
  return readRows(expectStatus(await route.ask(fixture, query), 200).text);
}

function hasBothTypes(rows: readonly ListRow[]): boolean {
  return ['series-', 'scifi-'].every((beginning) => rows.some(({ target }) => target.startsWith(beginning)));
}

/** What related_items and trending_items have in common. */
export function listRows(route: ListRoute): readonly ConformanceRow[] {
  const { section } = route;
  return [
    row(section, 'max_recommendations bounds each list on its own', async (fixture) => {
      const groups = route.groups(await rowsOf(route, fixture, { max_recommendations: 3 }));
      assert.ok(groups.length > 1, 'the query should answer several lists');
      for (const group of groups) assert.equal(group.length, 3);
    }),
    row(section, 'max_recommendations is a whole number', async (fixture) => {
      for (const value of ['1.5', 'many', '', '0', '-1']) {
        expectRefused(await route.ask(fixture, { max_recommendations: value }), 'query:max_recommendations');
      }
    }),
    row(section, 'max_recommendations is 100 where it is not given', async (fixture) => {
      const longest = (rows: readonly ListRow[]): number => Math.max(...route.groups(rows).map((group) => group.length));
      const hundred = await rowsOf(route, fixture);
      assert.equal(longest(hundred), 100);
      assert.deepEqual(await rowsOf(route, fixture, { max_recommendations: 100 }), hundred);
      const more = await rowsOf(route, fixture, { max_recommendations: 1000 });
      assert.ok(longest(more) > 100, 'more than 100 should be there when asked for');
    }),
    row(section, 'threshold is the minimum score', async (fixture) => {
      const all = await rowsOf(route, fixture);
      const middle = all.map(({ score }) => score).sort()[all.length >> 1] ?? '';
      const above = await rowsOf(route, fixture, { threshold: middle, max_recommendations: 1000 });
      assert.ok(above.length > 0, 'nothing is left');
      assert.ok(above.every(({ score }) => Number(score) >= Number(middle)), 'a score is below the threshold');
      const whole = await rowsOf(route, fixture, { max_recommendations: 1000 });
      const wanted = whole.filter(({ score }) => Number(score) > Number(middle));
      const found = new Set(above.map(({ source, target }) => `${source}/${target}`));
      assert.ok(wanted.every(({ source, target }) => found.has(`${source}/${target}`)), 'a row above the threshold is missing');
      assert.ok(above.length < whole.length, 'the threshold left nothing out');
    }),
    row(section, 'threshold is a number from 0.0 to 1.0', async (fixture) => {
      for (const value of ['-0.1', '1.1', '2', 'high', '']) {
        expectRefused(await route.ask(fixture, { threshold: value }), 'query:threshold');
      }
      for (const value of ['0.0', '1.0', '0.25']) expectStatus(await route.ask(fixture, { threshold: value }), 200);
    }),
    row(section, 'threshold is 0.0 where it is not given, which means none', async (fixture) => {
      const without = await rowsOf(route, fixture);
      assert.deepEqual(await rowsOf(route, fixture, { threshold: '0.0' }), without);
    }),
    row(section, 'entity_type limits the results to one type', async (fixture) => {
      const found = await rowsOf(route, fixture, { entity_type: 'series' });
      assert.ok(found.length > 0 && found.every(({ target }) => target.startsWith('series-')), 'the type series should be alone');
    }),
    row(section, 'entity_type may be a list separated by commas', async (fixture) => {
      const found = await rowsOf(route, fixture, { entity_type: 'film,series', max_recommendations: 1000 });
      assert.ok(hasBothTypes(found), 'one of the types is missing');
      assert.ok(found.every(({ target }) => /^(scifi|romance|series)-/.test(target)), 'an entity of another type is there');
    }),
    row(section, 'entity_type may be left out', async (fixture) => {
      const without = await rowsOf(route, fixture, { max_recommendations: 1000 });
      assert.ok(hasBothTypes(without), 'one of the types is missing');
      for (const entity_type of ['', ' , ']) {
        assert.deepEqual(await rowsOf(route, fixture, { entity_type, max_recommendations: 1000 }), without, 'a list that names none limits nothing');
      }
    }),
    row(section, 'output_format is csv where it is not given', async (fixture) => {
      const reply = expectStatus(await route.ask(fixture), 200);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/csv/);
      assert.ok(reply.text.startsWith(`${csvHeader}\n`));
      assert.equal((await route.ask(fixture, { output_format: 'csv' })).text, reply.text);
    }),
    row(section, 'output_format json answers the same as JSON', async (fixture) => {
      const reply = expectStatus(await route.ask(fixture, { output_format: 'json' }), 200);
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
      const { recommendations } = reply.json<ListAnswer>();
      const asRows = recommendations.map((each) => ({
        source: each.source_id ?? '', target: each.target_id, rank: each.rank, score: each.score.toFixed(6),
      }));
      assert.deepEqual(asRows, await rowsOf(route, fixture));
    }),
    row(section, 'output_format is nothing but csv or json', async (fixture) => {
      for (const value of ['xml', 'CSV', '']) {
        expectRefused(await route.ask(fixture, { output_format: value }), 'query:output_format');
      }
    }),
    row(section, 'model_id names the model; an unknown one is not found', async (fixture) => {
      expectStatus(await route.ask(fixture, { model_id: 'no-such-model' }), 404);
    }),
    row(section, 'a parameter that is not known is refused by name', async (fixture) => {
      expectRefused(await route.ask(fixture, { treshold: '0.5' }), 'query:treshold');
    }),
  ];
}
