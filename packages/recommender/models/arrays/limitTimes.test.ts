import { expect, it } from 'vitest';
import { limitTimes } from './limitTimes.ts';

function limited(times: number[], latest: number): [number[], object] {
  const time = Float64Array.from(times);
  const found = limitTimes({ count: times.length, source: new Int32Array(times.length), target: new Int32Array(times.length), time }, latest);
  return [[...time], found];
}

it('replaces times in the future by the newest other time, and leaves the others as they are', () => {
  expect(limited([NaN, 5, 9, 10, 11, 3e13], 10)).toEqual([[NaN, 5, 9, 10, 10, 10], { future: 2, newest: 10, oldest: 5, early: 4 }]);
  expect(limited([1, NaN, 9], 10)).toEqual([[1, NaN, 9], { future: 0, newest: 9, oldest: 1, early: 2 }]);
  expect(limited([NaN, 11, 12], 10)).toEqual([[NaN, NaN, NaN], { future: 2, newest: NaN, oldest: NaN, early: 2 }]);
  expect(limited([], 10)).toEqual([[], { future: 0, newest: NaN, oldest: NaN, early: 0 }]);
});

it('counts the times of the year 1970, which numbers of another unit have', () => {
  const year = 365 * 86_400_000;
  // As seconds: 0, a number of days, and a date without separators.
  const written = [0, 19_758, 20_240_131].map((number) => number * 1000);
  expect(limited([...written, -1, year, 1.7e12, NaN], 2e12)[1]).toEqual({ future: 0, newest: 1.7e12, oldest: -1, early: 3 });
});
