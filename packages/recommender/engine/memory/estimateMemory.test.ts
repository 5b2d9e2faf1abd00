import { expect, test } from 'vitest';
import { trainingData, type PairRow } from '../../testing/testData.ts';
import { estimateMemory } from './estimateMemory.ts';

test('grows with items, pairs and texts', () => {
  const pairs = (items: number): PairRow[] => Array.from({ length: 3 * items }, (_, at): PairRow => [`u${at % 100}`, `i${at % items}-${at % 3}`]);
  const base = estimateMemory(trainingData([], pairs(100)));
  expect(estimateMemory(trainingData([], pairs(1000))) - base).toBeGreaterThan(900 * 3000);
  const texts = ['a', 'b'].map((id) => [id, 'film', '', { text: 'x'.repeat(1_000_000) }] as const);
  expect(estimateMemory(trainingData(texts, pairs(100))) - base).toBeGreaterThan(4e6);
});

test('is what an empty program takes for no data', () => {
  expect(estimateMemory(trainingData([], []))).toBeLessThan(200e6);
});

test('counts least squares of a fixed setting on data too large for a mixture: the vectors of users and the matrix between items', () => {
  const [users, count] = [300_000, 600_000];
  const data = trainingData([], [['u', 'i']]);
  const source = Int32Array.from({ length: count }, (_, at) => at % users);
  const target = Int32Array.from({ length: count }, (_, at) => users + (at % 3000));
  const large = { ...data, nodes: { ...data.nodes, count: users + 3000 }, pairs: { ...data.pairs, source, target, count } };
  expect(estimateMemory(large, 1, true) - estimateMemory(large)).toBeGreaterThan(users * 256 + 2048 * 2048 * 4);
});
