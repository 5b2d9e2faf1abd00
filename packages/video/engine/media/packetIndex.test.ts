import { expect, it } from 'vitest';
import { makePacketIndex } from './packetIndex.ts';

it('packets come in the order of presentation, without those that are never shown', () => {
  const index = makePacketIndex([
    { time: 0, size: 9, key: true }, { time: 0.12, size: 3, key: false }, { time: 0.04, size: 1, key: false },
    { time: -0.04, size: 7, key: true }, { time: 0.08, size: 2, key: false },
  ]);
  expect([...index.times]).toEqual([0, 0.04, 0.08, 0.12]);
  expect([...index.sizes]).toEqual([9, 1, 2, 3]);
  expect([...index.keys]).toEqual([1, 0, 0, 0]);
});

it('two packets of one picture count as one', () => {
  const index = makePacketIndex([{ time: 1, size: 4, key: false }, { time: 1, size: 6, key: true }]);
  expect([[...index.times], [...index.sizes], [...index.keys]]).toEqual([[1], [10], [1]]);
});
