import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { type ListAnswer, type ListRow } from './client.ts';
import { row } from './fixture.ts';
import { listRows } from './listRows.ts';
import { risingFilm } from './sampleData.ts';

const section = 'Endpoints / GET trending_items';

/** The list of each type; the types of the sample data show in the ids. */
function byType(rows: readonly ListRow[]): ListRow[][] {
  const isSeries = ({ target }: ListRow): boolean => target.startsWith('series-');
  const isFilm = ({ target }: ListRow): boolean => /^(scifi|romance)-/.test(target);
  return [rows.filter(isSeries), rows.filter(isFilm)].filter((group) => group.length > 0);
}

/** Trending items. */
export const trendingRows: readonly ConformanceRow[] = [
  row(section, 'GET /v1/recommender/trending_items answers what is wanted more than usual', async ({ client, modelId }) => {
    const [first] = await client.trendingRows({ model_id: modelId, entity_type: 'film' });
    assert.deepEqual(first, { source: '', target: risingFilm, rank: 1, score: '1.000000' });
  }),
  row(section, 'model_id may be left out', async ({ client }) => {
    const { model_id: answered } = expectStatus(await client.trending({ output_format: 'json' }), 200).json<ListAnswer>();
    assert.ok(answered.length > 0, 'the answer should name the model it took');
  }),
  ...listRows({
    section,
    ask: ({ client, modelId }, query = {}) => client.trending({ model_id: modelId, ...query }),
    groups: byType,
  }),
];
