import { expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { calibrationSample } from './calibrationSample.ts';

test('an item more replaces at most one item of the sample, wherever the item comes', () => {
  const random = createRandom(3);
  const items = [...new Set(Array.from({ length: 1500 }, () => random.below(9000)))];
  const sampledItems = (list: readonly number[]): number[] => {
    const item = Int32Array.of(-1, ...list);
    return Array.from(calibrationSample(item, list.length), (place) => item[place] as number);
  };
  const before = sampledItems(items);
  expect(new Set(before).size).toBe(64);
  for (const at of [0, 700, items.length]) {
    const after = new Set(sampledItems([...items.slice(0, at), 9001 + at, ...items.slice(at)]));
    expect(before.filter((item) => !after.has(item)).length).toBeLessThan(2);
  }
});

test('a short list is sampled whole', () => {
  expect([...calibrationSample(Int32Array.of(-1, 7, 5, 6), 3)]).toEqual([1, 2, 3]);
});
