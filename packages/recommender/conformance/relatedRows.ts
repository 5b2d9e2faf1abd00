import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { csvHeader, readRows, type ListRow } from './client.ts';
import { row } from './fixture.ts';
import { listRows } from './listRows.ts';
import { coldFilm, fans, films, newcomer, series, unlisted } from './sampleData.ts';

const section = 'Endpoints / GET related_items';
const result = 'Resources / Recommendation result';

function bySource(rows: readonly ListRow[]): Map<string, ListRow[]> {
  const groups = new Map<string, ListRow[]>();
  for (const each of rows) groups.set(each.source, [...(groups.get(each.source) ?? []), each]);
  return groups;
}

/** Related items of entities. */
export const relatedRows: readonly ConformanceRow[] = [
  row(section, 'GET /v1/recommender/related_items answers related items', async ({ client, modelId }) => {
    const rows = await client.relatedRows({ model_id: modelId, entity_id: 'scifi-1' });
    const kinds = rows.slice(0, 5).map(({ target }) => target.split('-')[0]);
    assert.ok(kinds.every((kind) => kind !== 'romance'), 'the first items should be of the kind that the same people watch');
  }),
  row(section, 'model_id is required', async ({ client }) => {
    expectRefused(await client.related({ entity_id: 'scifi-1' }), 'query:model_id');
  }),
  row(section, 'entity_id limits the results to one entity', async ({ client, modelId }) => {
    const rows = await client.relatedRows({ model_id: modelId, entity_id: 'romance-3' });
    assert.ok(rows.length > 0 && rows.every(({ source }) => source === 'romance-3'));
  }),
  row(section, 'entity_id may be a list separated by commas', async ({ client, modelId }) => {
    const rows = await client.relatedRows({ model_id: modelId, entity_id: `romance-3, scifi-1,"${unlisted}"` });
    assert.deepEqual([...bySource(rows).keys()], ['romance-3', 'scifi-1', unlisted], 'an id with a comma stands in quotes');
  }),
  row(section, 'without entity_id the recommendations of every entity are answered, as CSV', async ({ client, modelId }) => {
    const reply = expectStatus(await client.related({ model_id: modelId }), 200);
    assert.ok(reply.text.startsWith(`${csvHeader}\n`));
    const sources = bySource(readRows(reply.text));
    for (const id of [...films, ...series, ...fans, coldFilm, newcomer, unlisted]) assert.ok(sources.has(id), `${id} is missing`);
  }),
  row(section, 'without entity_id each list is the one that the entity has alone', async ({ client, modelId }) => {
    const all = bySource(await client.relatedRows({ model_id: modelId }));
    for (const id of ['scifi-1', 'series-2', coldFilm, newcomer, 'fan-3', unlisted]) {
      assert.deepEqual(all.get(id), await client.relatedRows({ model_id: modelId, entity_id: `"${id}"` }), id);
    }
  }),
  row(result, 'is answered for each entity', async ({ client, modelId }) => {
    const groups = bySource(await client.relatedRows({ model_id: modelId, entity_id: 'scifi-1,romance-1' }));
    for (const rows of groups.values()) assert.deepEqual(rows.map(({ rank }) => rank), rows.map((_, index) => index + 1));
    assert.equal(groups.size, 2);
  }),
  row(result, 'max_recommendations and threshold limit it together', async ({ client, modelId }) => {
    const query = { model_id: modelId, entity_id: 'scifi-1' };
    const free = await client.relatedRows(query);
    const threshold = free[4]?.score ?? '';
    const both = await client.relatedRows({ ...query, threshold, max_recommendations: 3 });
    assert.deepEqual(both, free.slice(0, 3));
    const few = await client.relatedRows({ ...query, threshold, max_recommendations: 1000 });
    assert.deepEqual(few, free.filter(({ score }) => Number(score) >= Number(threshold)).slice(0, few.length));
  }),
  ...listRows({
    section,
    ask: ({ client, modelId }, query = {}) => client.related({ model_id: modelId, entity_id: 'scifi-1,scifi-2', ...query }),
    groups: (rows) => [...bySource(rows).values()],
  }),
];
