import { expect, it } from 'vitest';
import { previewStart } from './previewStart.ts';

const segments = [{ start: 10, end: 14 }, { start: 30, end: 31 }, { start: 50, end: 56 }];

it('is the sum of the lengths before a segment', () => {
  expect([0, 1, 2].map((at) => previewStart(segments, at, 0))).toEqual([0, 4, 5]);
});

it('is earlier by the crossfades before a segment, which take at most half of either segment', () => {
  expect([0, 1, 2].map((at) => previewStart(segments, at, 0.25))).toEqual([0, 3.75, 4.5]);
  expect([0, 1, 2].map((at) => previewStart(segments, at, 2))).toEqual([0, 3.5, 4]);
});
