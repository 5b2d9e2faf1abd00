import { expect, test } from 'vitest';
import { trainingData, twoBlocks } from '../../testing/testData.ts';
import { computeFactors } from './computeFactors.ts';
import { defaultSetting } from '../data/defaultSetting.ts';
import { fittingShare, samplePairs, sampleRows } from './sampleUsers.ts';

const { entities, pairs } = twoBlocks(200);
const data = trainingData(entities, pairs);

test('all users fit where the memory suffices, a share of them where it does not, and millions of items still get some', () => {
  expect(fittingShare(1e6, 1e6, 1e8)).toBe(1);
  const share = fittingShare(1e8, 1e6, 1e9);
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.4);
  expect(fittingShare(1e8, 3e6, 1e9)).toBe(0.01);
});

test('a sample has whole rows of some users, the same for the same seed', () => {
  const rows = { pointer: Float64Array.from({ length: 1001 }, (_, row) => 2 * row), index: Int32Array.from({ length: 2000 }, (_, at) => at) };
  expect(sampleRows(rows, 1, 1)).toBe(rows);
  const sample = sampleRows(rows, 0.3, 1);
  const kept = sample.pointer.length - 1;
  expect(kept).toBeGreaterThan(200);
  expect(kept).toBeLessThan(400);
  for (let row = 0; row < kept; row++) {
    const first = sample.index[2 * row] as number;
    expect([sample.pointer[row], first % 2, sample.index[2 * row + 1]]).toEqual([2 * row, 0, first + 1]);
  }
  expect(sampleRows(rows, 0.3, 1)).toEqual(sample);
  expect(sampleRows(rows, 0.3, 2)).not.toEqual(sample);
});

test('pairs of a sample keep their order and the numbers of the nodes', () => {
  const sample = samplePairs(data, 0.5, 1);
  expect(sample.nodes).toBe(data.nodes);
  expect(sample.pairs.count).toBeGreaterThan(0.3 * data.pairs.count);
  expect(sample.pairs.count).toBeLessThan(0.7 * data.pairs.count);
  const ofSource = (from: typeof data, source: number): Int32Array => from.pairs.target.filter((_, pair) => from.pairs.source[pair] === source);
  for (const source of new Set(sample.pairs.source)) expect(ofSource(sample, source)).toEqual(ofSource(data, source));
});

test('factors of a sample tell the blocks apart as those of all users do', () => {
  const options = { setting: defaultSetting, seed: 1 };
  const factors = computeFactors(data, options, () => {}, 0.5);
  expect(factors).not.toEqual(computeFactors(data, options, () => {}));
  const { rank, vectors } = factors;
  const dot = (one: number, other: number): number =>
    Array.from({ length: 2 }, (_, k) => (vectors[one * rank + k] as number) * (vectors[other * rank + k] as number)).reduce((a, b) => a + b);
  // Items 0 to 5 are crime films, items 6 to 11 are romance films.
  expect(dot(0, 1)).toBeGreaterThan(0.1);
  expect(Math.abs(dot(0, 7))).toBeLessThan(0.05);
});
