import { expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { calibrationSample } from './calibrationSample.ts';

test('an item more replaces at most one item of the sample, wherever the item comes', () => {
  const random = createRandom(3);
  const items = [...new Set(Array.from({ length: 1500 }, () => random.below(9000)))];
  const degree = new Int32Array(11_000).fill(2);
  const sampledItems = (list: readonly number[]): number[] => {
    const item = Int32Array.of(-1, ...list);
    return Array.from(calibrationSample(item, degree, list.length), (place) => item[place] as number);
  };
  const before = sampledItems(items);
  expect(new Set(before).size).toBe(64);
  for (const at of [0, 700, items.length]) {
    const after = new Set(sampledItems([...items.slice(0, at), 9001 + at, ...items.slice(at)]));
    expect(before.filter((item) => !after.has(item)).length).toBeLessThan(2);
  }
});

test('a short list is sampled whole', () => {
  expect([...calibrationSample(Int32Array.of(-1, 7, 5, 6), new Int32Array(8).fill(5000), 3)]).toEqual([1, 2, 3]);
});

test('the items with the fewest users are sampled, all of them below the degree at which there are enough', () => {
  const random = createRandom(4);
  const item = Int32Array.from({ length: 1001 }, (_, at) => at - 1);
  const degree = Int32Array.from({ length: 1000 }, () => 1 + random.below(50));
  const sample = Array.from(calibrationSample(item, degree, 1000), (place) => degree[item[place] as number] as number);
  const counts = [1, 2, 3, 4].map((users) => degree.filter((other) => other === users).length);
  const last = counts.findIndex((_, at) => counts.slice(0, at + 1).reduce((sum, count) => sum + count, 0) >= 64) + 1;
  expect(last).toBeGreaterThan(1);
  expect([1, 2, 3, 4].map((users) => sample.filter((other) => other === users).length)).toEqual(counts.map((count, at) => (at < last ? count : 0)));
  expect(sample.length).toBeGreaterThanOrEqual(64);
});
