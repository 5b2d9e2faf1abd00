import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { row } from './fixture.ts';
import { films } from './sampleData.ts';

const section = 'What the service does';

/** The service as a whole, its paths and their version. */
export const serviceRows: readonly ConformanceRow[] = [
  row(section, 'takes entity and interaction data as CSV files in batches with tags', async ({ entities, interactions }) => {
    assert.ok(entities.entity_count > 0 && interactions.interaction_count > 0, 'both files should have been counted');
    assert.deepEqual([entities.tags, interactions.tags], [['films', 'catalogue'], ['films', 'views']]);
  }),
  row(section, 'trains a model with a name from the batches that were selected', async ({ trained, modelId }) => {
    assert.equal(trained.model_id, modelId);
    assert.equal(trained.data?.batches, 2, 'the model should be trained on the two selected batches');
  }),
  row(section, 'answers related and trending items of a model, as CSV unless JSON is asked for', async ({ client, modelId }) => {
    const related = await client.relatedRows({ model_id: modelId, entity_id: 'scifi-1' });
    const trending = await client.trendingRows({ model_id: modelId });
    const known = new Set(films);
    assert.ok(related.some(({ target }) => known.has(target)), 'no film is related to scifi-1');
    assert.ok(trending.some(({ target }) => known.has(target)), 'no film is trending');
    assert.ok((await client.relatedJson({ model_id: modelId, entity_id: 'scifi-1' })).recommendations.length > 0);
  }),
  row('Versioning', 'the paths of the recommender begin with v1 and are found nowhere else', async ({ client, modelId }) => {
    for (const path of ['data_batch', 'related_items', 'trending_items', `${modelId}/status`]) {
      const query: Record<string, string> = path === 'related_items' ? { model_id: modelId, entity_id: 'scifi-1' } : {};
      expectStatus(await client.get(`/v1/recommender/${path}`, query), 200);
      expectStatus(await client.get(`/recommender/${path}`, query), 404);
      expectStatus(await client.get(`/v2/recommender/${path}`, query), 404);
    }
  }),
];
