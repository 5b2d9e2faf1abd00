import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { row } from './fixture.ts';
import { films } from './sampleData.ts';

/** Conformance rows of the service as a whole: its paths and their version. */
export const serviceRows: readonly ConformanceRow[] = [
  row('S1', 'a file of entities and a file of interactions are stored, and the counts of each batch are correct', async ({ client, sample }) => {
    const { tags } = await sample();
    const records = expectStatus(await client.batches({ tags: tags.films }), 200).json<{ tags: string[]; entity_count: number; interaction_count: number }[]>();
    assert.deepEqual(records.map(({ tags: found }) => found), [[tags.films, tags.views], [tags.films, tags.catalogue]]);
    assert.ok(records[1]!.entity_count > 0 && records[0]!.interaction_count > 0, 'both files should have been counted');
  }),
  row('S2', 'the status of the training has the name of the model and the number of batches, two', async ({ client, model }) => {
    const { modelId } = await model();
    const record = expectStatus(await client.status(modelId), 200).json<{ model_id: string; data: { batches: number } | null }>();
    assert.deepEqual([record.model_id, record.data?.batches], [modelId, 2]);
  }),
  row('S3', 'both lists contain uploaded items, as CSV by default and as JSON on request', async ({ client, model }) => {
    const { modelId } = await model();
    const known = new Set(films);
    const lists = [await client.relatedRows({ model_id: modelId, entity_id: 'scifi-1' }), await client.trendingRows({ model_id: modelId })];
    for (const rows of lists) assert.ok(rows.some(({ target }) => known.has(target)), 'the list names no film of the data');
    const asJson = [await client.relatedJson({ model_id: modelId, entity_id: 'scifi-1' }), await client.trendingJson({ model_id: modelId })];
    for (const { recommendations } of asJson) assert.ok(recommendations.some(({ target_id: id }) => known.has(id)), 'the JSON names no film of the data');
  }),
  row('Z1', 'each GET route exists under /v1, and does not exist without a version or under /v2', async ({ client, model }) => {
    const { modelId } = await model();
    for (const path of ['data_batch', 'related_items', 'trending_items', `${modelId}/status`]) {
      const query: Record<string, string> = path === 'related_items' ? { model_id: modelId, entity_id: 'scifi-1' } : {};
      expectStatus(await client.get(`/v1/recommender/${path}`, query), 200);
      expectStatus(await client.get(`/recommender/${path}`, query), 404);
      expectStatus(await client.get(`/v2/recommender/${path}`, query), 404);
    }
  }),
];
