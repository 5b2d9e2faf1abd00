import { type Call, type Reply, expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { csvHeader, parseRows, type ListAnswer, type ListRow } from './client.ts';
import { row, type Fixture } from './fixture.ts';

type Query = NonNullable<Call['query']>;

/** One of the two routes that return lists; rows common to both routes use the same checks. */
interface ListRoute {
  /** Numbers of the specification's statements about this route. */
  statements: Readonly<Record<
    'model' | 'most' | 'hundred' | 'threshold' | 'thresholdRange' | 'noThreshold' | 'type' | 'csv' | 'json' | 'formats' | 'parameters', string
  >>;
  /** Sends a query whose answer has one list per type or entity, long enough for every check. */
  ask(fixture: Fixture, query?: Query): Promise<Reply>;
  /** Splits rows into the lists that `max_recommendations` limits separately. */
  groups(rows: readonly ListRow[]): ListRow[][];
}

/** The rows of an answer; fails if there are none. */
async function rowsOf(route: ListRoute, fixture: Fixture, query: Query = {}): Promise<ListRow[]> {
  const rows = parseRows(expectStatus(await route.ask(fixture, query), 200).text);
  assert.ok(rows.length > 0, 'the list is empty');
  return rows;
}

function hasBothTypes(rows: readonly ListRow[]): boolean {
  return ['series-', 'scifi-'].every((beginning) => rows.some(({ target }) => target.startsWith(beginning)));
}

/**
 * Checks that a list equals the whole list with a threshold applied. Scores are rounded, so rows with a score equal to the
 * threshold may be present or absent.
 */
export function expectAbove(found: readonly ListRow[], whole: readonly ListRow[], threshold: string): void {
  const idsOf = (rows: readonly ListRow[]): string[] => rows.map(({ source, target }) => `${source}/${target}`);
  const atLeast = new Set(idsOf(whole.filter(({ score }) => Number(score) >= Number(threshold))));
  const foundIds = new Set(idsOf(found));
  for (const id of foundIds) assert.ok(atLeast.has(id), `${id} has a score below the threshold ${threshold}`);
  for (const id of idsOf(whole.filter(({ score }) => Number(score) > Number(threshold)))) {
    assert.ok(foundIds.has(id), `${id} has a score above the threshold ${threshold} and is missing`);
  }
  assert.ok(found.length > 0 && found.length < whole.length, `the threshold ${threshold} should leave a part of the list`);
}

/** Conformance rows common to related_items and trending_items. */
export function listRows(route: ListRoute): readonly ConformanceRow[] {
  const { statements } = route;
  return [
    row(statements.most, 'each list has the 3 requested items', async (fixture) => {
      const groups = route.groups(await rowsOf(route, fixture, { max_recommendations: 3 }));
      assert.ok(groups.length > 1, 'the query should answer several lists');
      for (const group of groups) assert.equal(group.length, 3);
    }),
    row(statements.most, 'fractions, words, an empty value, 0 and negative numbers are rejected', async (fixture) => {
      for (const value of ['1.5', 'many', '', '0', '-1']) {
        expectRefused(await route.ask(fixture, { max_recommendations: value }), 'query:max_recommendations');
      }
    }),
    row(statements.hundred, 'the longest list has 100 items by default, and more if 1000 are requested', async (fixture) => {
      const longest = (rows: readonly ListRow[]): number => Math.max(...route.groups(rows).map((group) => group.length));
      const hundred = await rowsOf(route, fixture);
      assert.equal(longest(hundred), 100);
      assert.deepEqual(await rowsOf(route, fixture, { max_recommendations: 100 }), hundred);
      const more = await rowsOf(route, fixture, { max_recommendations: 1000 });
      assert.ok(longest(more) > 100, 'more than 100 should be there when asked for');
    }),
    row(statements.threshold, 'with the middle score as threshold, only rows with at least that score remain', async (fixture) => {
      const whole = await rowsOf(route, fixture, { max_recommendations: 1000 });
      const middle = whole.map(({ score }) => score).sort()[whole.length >> 1] ?? '';
      expectAbove(await rowsOf(route, fixture, { threshold: middle, max_recommendations: 1000 }), whole, middle);
    }),
    row(statements.thresholdRange, '-0.1, 1.1, words and an empty value are rejected; 0.0, 0.25 and 1.0 are accepted', async (fixture) => {
      for (const value of ['-0.1', '1.1', '2', 'high', '']) {
        expectRefused(await route.ask(fixture, { threshold: value }), 'query:threshold');
      }
      for (const value of ['0.0', '1.0', '0.25']) expectStatus(await route.ask(fixture, { threshold: value }), 200);
    }),
    row(statements.noThreshold, 'the list without threshold equals the list with 0.0; 0.9 leaves fewer rows', async (fixture) => {
      const without = await rowsOf(route, fixture, { max_recommendations: 1000 });
      assert.deepEqual(await rowsOf(route, fixture, { threshold: '0.0', max_recommendations: 1000 }), without);
      const high = parseRows(expectStatus(await route.ask(fixture, { threshold: '0.9', max_recommendations: 1000 }), 200).text);
      assert.ok(high.length < without.length, 'there should be scores below 0.9');
    }),
    row(statements.type, 'with one type, the list has only items of that type', async (fixture) => {
      const found = await rowsOf(route, fixture, { entity_type: 'series' });
      assert.ok(found.every(({ target }) => target.startsWith('series-')), 'the type series should be alone');
    }),
    row(statements.type, 'with two comma-separated types, the list has items of both types and no others', async (fixture) => {
      const found = await rowsOf(route, fixture, { entity_type: 'film,series', max_recommendations: 1000 });
      assert.ok(hasBothTypes(found), 'one of the types is missing');
      assert.ok(found.every(({ target }) => /^(scifi|romance|series)-/.test(target)), 'an entity of another type is there');
    }),
    row(statements.type, 'without types, and with an empty list of types, the list has items of all types', async (fixture) => {
      const without = await rowsOf(route, fixture, { max_recommendations: 1000 });
      assert.ok(hasBothTypes(without), 'one of the types is missing');
      for (const entity_type of ['', ' , ']) assert.deepEqual(await rowsOf(route, fixture, { entity_type, max_recommendations: 1000 }), without);
    }),
    row(statements.csv, 'without output_format, the answer is text/csv and equals the answer for csv', async (fixture) => {
      const reply = expectStatus(await route.ask(fixture), 200);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/csv/);
      assert.ok(reply.text.startsWith(`${csvHeader}\n`) && parseRows(reply.text).length > 0, 'the answer should be CSV with rows');
      assert.equal(expectStatus(await route.ask(fixture, { output_format: 'csv' }), 200).text, reply.text);
    }),
    row(statements.json, 'the JSON answer has the same rows as the CSV answer', async (fixture) => {
      const reply = expectStatus(await route.ask(fixture, { output_format: 'json' }), 200);
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
      const { recommendations } = reply.json<ListAnswer>();
      const asRows = recommendations.map((each) => ({
        source: each.source_id ?? '', target: each.target_id, rank: each.rank, score: each.score.toFixed(6),
      }));
      assert.deepEqual(asRows, await rowsOf(route, fixture));
    }),
    row(statements.formats, 'xml, CSV in capitals and an empty value are rejected', async (fixture) => {
      for (const value of ['xml', 'CSV', '']) {
        expectRefused(await route.ask(fixture, { output_format: value }), 'query:output_format');
      }
    }),
    row(statements.model, 'the JSON answer names the model; an unknown model is not found', async (fixture) => {
      const { modelId } = await fixture.model();
      assert.equal(expectStatus(await route.ask(fixture, { output_format: 'json' }), 200).json<ListAnswer>().model_id, modelId);
      expectStatus(await route.ask(fixture, { model_id: fixture.name('no-such-model') }), 404);
    }),
    row(statements.parameters, 'an unknown parameter is rejected with its name', async (fixture) => {
      expectRefused(await route.ask(fixture, { treshold: '0.5' }), 'query:treshold');
    }),
  ];
}
