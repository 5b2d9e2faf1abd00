import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { type ListAnswer, type ListRow } from './client.ts';
import { row } from './fixture.ts';
import { listRows } from './listRows.ts';
import { risingFilm } from './sampleData.ts';

/** Splits rows by type; in the sample data, the id shows the type. */
function byType(rows: readonly ListRow[]): ListRow[][] {
  const isSeries = ({ target }: ListRow): boolean => target.startsWith('series-');
  const isFilm = ({ target }: ListRow): boolean => /^(scifi|romance)-/.test(target);
  return [rows.filter(isSeries), rows.filter(isFilm)].filter((group) => group.length > 0);
}

/** Conformance rows of trending items. */
export const trendingRows: readonly ConformanceRow[] = [
  row('N1', 'the film with growing demand is the first item', async ({ client, model }) => {
    const [first] = await client.trendingRows({ model_id: (await model()).modelId, entity_type: 'film' });
    assert.deepEqual(first, { source: '', target: risingFilm, rank: 1, score: '1.000000' });
  }),
  row('N2', 'without model_id, the answer comes from a model of the organization', async ({ client, context, model }) => {
    await model();
    const { model_id: answered } = expectStatus(await client.trending({ output_format: 'json' }), 200).json<ListAnswer>();
    assert.ok(typeof answered === 'string' && answered.startsWith(context.disposable ? context.prefix : ''), `${answered} is no model of the organization`);
    expectStatus(await client.status(answered), 200);
  }),
  ...listRows({
    statements: {
      model: 'N3', most: 'N4', hundred: 'N5', threshold: 'N6', thresholdRange: 'N7', noThreshold: 'N8', type: 'N9', csv: 'N10', json: 'N11',
      formats: 'N12', parameters: 'N1',
    },
    ask: async ({ client, model }, query = {}) => client.trending({ model_id: (await model()).modelId, ...query }),
    groups: byType,
  }),
];
