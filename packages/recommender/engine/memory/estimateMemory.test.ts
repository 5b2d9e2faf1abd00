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
