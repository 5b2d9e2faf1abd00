import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TypeWeights } from '../sql/interactionWeights.ts';
import { warnOfData } from '../warnOfData.ts';
import { openDuckDb } from './duckdb.ts';
import { loadTrainingData } from './loadTrainingData.ts';
import { tableColumns, type DataSummary } from './trainingSnapshot.ts';

/** An interaction: type, source, target, time in ms, metadata. */
type Row = readonly [type: string | null, source: string, target: string, time?: number, metadata?: unknown];

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-weights-'));
});

afterAll(() => rm(folder, { recursive: true }));

interface Read {
  likes: Record<string, number>;
  dislikes: Record<string, number>;
  summary: DataSummary;
  weighted: boolean;
}

/** Reads interactions as a training does: weights by "source target", rounded. */
async function read(rows: readonly Row[], weights: TypeWeights = {}): Promise<Read> {
  const path = join(folder, `${files++}.parquet`);
  const limits = { memory: '300MB', threads: 1, temporaryFolder: join(folder, 'duckdb') };
  const connection = await openDuckDb(limits);
  const text = (value: string | null): string => (value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`);
  const values = rows.map(([type, source, target, time, metadata], at) =>
    `(${text(type)}, ${text(source)}, ${text(target)}, ${time ?? 'NULL'}, ${metadata === undefined ? 'NULL' : text(JSON.stringify(metadata))}, ${at + 1})`);
  const columns = tableColumns.interaction.split(', ').map((column) => column.split(' ') as [string, string]);
  const selected = columns.map(([name, type]) => `CAST(${name} AS ${type}) AS ${name}`).join(', ');
  await connection.run(`COPY (SELECT ${selected} FROM (VALUES ${values.join(', ')}) AS rows (${columns.map(([name]) => name).join(', ')}))
    TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  const { data, summary } = await loadTrainingData([{ path, kind: 'interaction', sequence: 1 }], null, limits, () => {}, weights);
  const { ids } = data.nodes;
  const shown = (pairs: { count: number; source: Int32Array; target: Int32Array; weight?: Float32Array } | undefined): Record<string, number> =>
    Object.fromEntries(Array.from({ length: pairs?.count ?? 0 }, (_, at) =>
      [`${ids[pairs?.source[at] ?? 0]} ${ids[pairs?.target[at] ?? 0]}`, Number((pairs?.weight?.[at] ?? 1).toFixed(3))]));
  return { likes: shown(data.pairs), dislikes: shown(data.dislikes), summary, weighted: data.pairs.weight !== undefined };
}

describe('what an interaction counts', () => {
  test('is 1 whatever its type, without any weights in the arrays', async () => {
    const { likes, dislikes, weighted, summary } = await read([['view', 'u', 'a'], ['purchase', 'u', 'b'], [null, 'u', 'c', 5, { price: 3 }]]);
    expect([likes, dislikes, weighted]).toEqual([{ 'u a': 1, 'u b': 1, 'u c': 1 }, {}, false]);
    expect(warnOfData(summary, {})).toEqual([]);
  });

  test('is negative for the words of a rejection, however they are written', async () => {
    const { likes, dislikes, summary } = await read([
      ['view', 'u', 'a'], ['dislike', 'u', 'b'], ['Thumbs-Down', 'u', 'c'], ['NOT_INTERESTED', 'u', 'd'], ['skip', 'u', 'e'], ['Refund', 'u', 'f'],
      ['unsubscribe', 'u', 'g'], ['return', 'u', 'h'],
    ]);
    expect(likes).toEqual({ 'u a': 1 });
    expect(dislikes).toEqual({ 'u b': -1, 'u c': -1, 'u d': -1, 'u e': -0.5, 'u f': -1, 'u g': -1, 'u h': -1 });
    expect(summary.interactions).toMatchObject({ used: 1, disliked: 7, weight_by_type: { view: 1, skip: -0.5, dislike: -1 }, ignored: { repeated: 0 } });
  });

  test('is what the training says, of exactly this type, and 0 ignores a type', async () => {
    const odd = `it's "a"\\type ü`;
    const { likes, dislikes, summary } = await read(
      [['purchase', 'u', 'a'], ['dislike', 'u', 'b'], [odd, 'u', 'c'], ['page view', 'u', 'd'], ['Purchase', 'u', 'e']],
      { purchase: 5, dislike: 2, [odd]: -3, 'page view': 0 },
    );
    expect(likes).toEqual({ 'u a': 5, 'u b': 2, 'u e': 1 });
    expect(dislikes).toEqual({ 'u c': -3 });
    expect(summary.interactions.ignored).toMatchObject({ neutral: 1, repeated: 0 });
  });

  test('is multiplied by its own weight, and negative if either is', async () => {
    const { likes, dislikes, summary } = await read([
      ['view', 'u', 'a', 1, { weight: 2.5 }], ['dislike', 'u', 'b', 1, { weight: -1 }], ['dislike', 'u', 'c', 1, { weight: 2 }], ['view', 'u', 'd', 1, { weight: -1 }],
      ['view', 'u', 'e', 1, { weight: 1e9 }], ['view', 'u', 'f', 1, { weight: 'NaN' }], ['view', 'u', 'g', 1, { weight: [3] }], ['view', 'u', 'h', 1, { weight: null }],
    ]);
    expect(likes).toEqual({ 'u a': 2.5, 'u e': 1, 'u f': 1, 'u g': 1, 'u h': 1 });
    expect(dislikes).toEqual({ 'u b': -1, 'u c': -2, 'u d': -1 });
    expect(warnOfData(summary, {})).toMatchObject([{ code: 'invalid-weights', detail: expect.stringMatching(/^3 interactions .* -100 to 100/) }]);
  });

  test('of a repeated pair is its largest, and after a rejection what follows the rejection', async () => {
    const weights = { purchase: 5 };
    const { likes, dislikes } = await read([
      ['view', 'u', 'a', 1], ['purchase', 'u', 'a', 2], ['view', 'u', 'a', 3],
      ['purchase', 'u', 'b', 1], ['return', 'u', 'b', 2],
      ['purchase', 'u', 'c', 1], ['return', 'u', 'c', 2], ['view', 'u', 'c', 3],
      ['return', 'u', 'd', 5], ['purchase', 'u', 'd', 2],
      ['dislike', 'u', 'e'], ['view', 'u', 'e'],
    ], weights);
    expect(likes).toEqual({ 'u a': 5, 'u c': 1, 'u e': 1 });
    expect(dislikes).toEqual({ 'u b': -1, 'u d': -1 });
  });
});

describe('a rating', () => {
  const rate = (source: string, target: string, rating: unknown): Row => ['rate', source, target, 1, { rating }];

  test('counts by its distance from the mean of its user', async () => {
    const { likes, dislikes, summary } = await read([
      rate('mild', 'a', 5), rate('mild', 'b', 5), rate('mild', 'c', 4), rate('strict', 'a', 1), rate('strict', 'b', 1), rate('strict', 'c', 2), ['view', 'mild', 'd'],
    ]);
    expect(summary.interactions.rated).toEqual({ rows: 6, invalid: 0, scale: { lowest: 1, highest: 5 } });
    // All ratings have the mean 3; the means of the users, with five ratings of 3, are 29/8 and 19/8.
    expect(likes).toEqual({ 'mild a': 1.188, 'mild b': 1.188, 'mild c': 0.688, 'strict c': 0.313, 'mild d': 1 });
    expect(dislikes).toEqual({ 'strict a': -0.188, 'strict b': -0.188 });
  });

  test('outside the scale of the others counts by its type, with a warning', async () => {
    const rows = Array.from({ length: 200 }, (_, at) => rate(`u${at}`, 'a', 1 + (at % 5)));
    const { likes, summary } = await read([...rows, rate('x', 'a', 500), rate('y', 'a', 'many')]);
    expect([likes['x a'], likes['y a']]).toEqual([1, 1]);
    expect(warnOfData(summary, {})).toMatchObject([{ code: 'invalid-ratings', detail: expect.stringMatching(/^2 of 202 ratings are not numbers from 1 to 5/) }]);
    expect(summary.interactions.rated).toEqual({ rows: 202, invalid: 2, scale: { lowest: 1, highest: 5 } });
  });

  test('that is never a number counts by its type, with a warning', async () => {
    const { likes, summary } = await read([rate('x', 'a', 'good'), rate('y', 'a', '')]);
    expect(likes).toEqual({ 'x a': 1, 'y a': 1 });
    expect(warnOfData(summary, {})).toMatchObject([{ code: 'invalid-ratings', detail: expect.stringMatching(/^2 of 2 ratings are not numbers; /) }]);
  });

  test.each([
    ['all the same', [rate('u', 'a', 3), rate('v', 'a', 3)], 0.5],
    ['a single one', [rate('u', 'a', 3)], 0.5],
    ['one of 0 to 1', [rate('u', 'a', 1), rate('v', 'a', 0)], 1.333],
  ])('%s is no mistake', async (_, rows, weight) => {
    expect((await read(rows)).likes['u a']).toBe(weight);
  });
});

describe('a warning', () => {
  test('names the nearest type if a weight is for a type that does not occur', async () => {
    const { summary } = await read([['purchase', 'u', 'a'], ['view', 'u', 'b']], { purchse: 5, nothing_like_it: 2 });
    expect(warnOfData(summary, { weights: { purchse: 5, nothing_like_it: 2, view: 1 } }).map(({ code, detail }) => [code, detail])).toEqual([
      ['unknown-type', 'No interaction has the type "purchse" of weights. Did you mean "purchase"?'],
      ['unknown-type', 'No interaction has the type "nothing_like_it" of weights. The types are "purchase", "view".'],
    ]);
  });

  test('says that there are no interactions', async () => {
    const { summary } = await read([['view', 'u', 'a']]);
    expect(warnOfData({ ...summary, interactions: { ...summary.interactions, rows: 0, used: 0 } }, {})).toMatchObject([{ code: 'no-interactions' }]);
  });

  test('says that all interactions push away', async () => {
    const { summary, likes } = await read([['dislike', 'u', 'a'], ['dislike', 'v', 'b']]);
    expect(likes).toEqual({});
    expect(warnOfData(summary, {})).toMatchObject([{ code: 'only-dislikes' }]);
  });
});
