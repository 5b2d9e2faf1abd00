import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { csvHeader, parseRows, type ListRow } from './client.ts';
import { row } from './fixture.ts';
import { expectAbove, listRows } from './listRows.ts';
import { coldFilm, fans, films, newcomer, series, unlisted } from './sampleData.ts';

function bySource(rows: readonly ListRow[]): Map<string, ListRow[]> {
  const groups = new Map<string, ListRow[]>();
  for (const each of rows) groups.set(each.source, [...(groups.get(each.source) ?? []), each]);
  return groups;
}

/** Conformance rows of related items. */
export const relatedRows: readonly ConformanceRow[] = [
  row('R1', 'the first five related items of a film belong to the kind that the same people watch', async ({ client, model }) => {
    const rows = await client.relatedRows({ model_id: (await model()).modelId, entity_id: 'scifi-1' });
    const kinds = rows.slice(0, 5).map(({ target }) => target.split('-')[0]!);
    assert.equal(kinds.length, 5, 'the film should have five related items');
    for (const kind of kinds) assert.ok(['scifi', 'series'].includes(kind), `${kind} is not what people watch beside it`);
  }),
  row('R2', 'two entities have two lists, each ranked from 1 by decreasing score', async ({ client, model }) => {
    const groups = bySource(await client.relatedRows({ model_id: (await model()).modelId, entity_id: 'scifi-1,romance-1' }));
    assert.deepEqual([...groups.keys()].sort(), ['romance-1', 'scifi-1']);
    for (const rows of groups.values()) {
      assert.deepEqual(rows.map(({ rank }) => rank), rows.map((_, index) => index + 1));
      const scores = rows.map(({ score }) => Number(score));
      assert.deepEqual(scores, scores.toSorted((a, b) => b - a));
      assert.ok(scores.every((score) => score <= 1) && scores.some((score) => score > 0), 'scores are from 0 to 1');
    }
  }),
  row('R2', 'max_recommendations and threshold limit a list together', async ({ client, model }) => {
    const query = { model_id: (await model()).modelId, entity_id: 'scifi-1', max_recommendations: 1000 };
    const whole = await client.relatedRows(query);
    const threshold = whole[4]!.score;
    assert.deepEqual(await client.relatedRows({ ...query, threshold, max_recommendations: 3 }), whole.slice(0, 3));
    expectAbove(await client.relatedRows({ ...query, threshold }), whole, threshold);
  }),
  row('R3', 'a query without model_id is rejected with the name of the parameter', async ({ client }) => {
    expectRefused(await client.related({ entity_id: 'scifi-1' }), 'query:model_id');
  }),
  row('R5', 'with one id, only that entity has a list', async ({ client, model }) => {
    const rows = await client.relatedRows({ model_id: (await model()).modelId, entity_id: 'romance-3' });
    assert.deepEqual([...bySource(rows).keys()], ['romance-3']);
  }),
  row('R5', 'three comma-separated ids are accepted, one of them in quotes because it contains a comma', async ({ client, model }) => {
    const rows = await client.relatedRows({ model_id: (await model()).modelId, entity_id: `romance-3, scifi-1,"${unlisted}"` });
    assert.deepEqual([...bySource(rows).keys()], ['romance-3', 'scifi-1', unlisted]);
  }),
  row('R6', 'every entity has a list, as CSV', async ({ client, model }) => {
    const reply = expectStatus(await client.related({ model_id: (await model()).modelId }), 200);
    assert.ok(reply.text.startsWith(`${csvHeader}\n`), 'the answer should be CSV');
    const sources = bySource(parseRows(reply.text));
    for (const id of [...films, ...series, ...fans, coldFilm, newcomer, unlisted]) assert.ok(sources.has(id), `${id} is missing`);
  }),
  row('R6', 'each list equals the list of a query for that entity alone', async ({ client, model }) => {
    const { modelId } = await model();
    const all = bySource(await client.relatedRows({ model_id: modelId }));
    for (const id of ['scifi-1', 'series-2', coldFilm, newcomer, 'fan-3', unlisted]) {
      const alone = await client.relatedRows({ model_id: modelId, entity_id: `"${id}"` });
      assert.ok(alone.length > 0, `${id} has no list`);
      assert.deepEqual(all.get(id), alone, id);
    }
  }),
  ...listRows({
    statements: {
      model: 'R4', most: 'R7', hundred: 'R8', threshold: 'R9', thresholdRange: 'R10', noThreshold: 'R11', type: 'R12', csv: 'R13', json: 'R14',
      formats: 'R15', parameters: 'R1',
    },
    ask: async ({ client, model }, query = {}) => client.related({ model_id: (await model()).modelId, entity_id: 'scifi-1,scifi-2', ...query }),
    groups: (rows) => [...bySource(rows).values()],
  }),
];
