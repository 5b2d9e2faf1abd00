import { expect, it } from 'vitest';
import { cutTimes, isHeld, shownFrame } from './heldPictures.ts';

const slides = Float64Array.of(0, 0.04, 10, 10.5);

it('a video may be cut at its frames and at every tenth of a second of a held picture', () => {
  const times = [...cutTimes(slides, 12)];
  expect(times.slice(0, 4)).toEqual([0, 0.04, 0.14, 0.04 + 0.2]);
  expect(times.filter((time) => time >= 9.9)).toEqual([expect.closeTo(9.94), 10, 10.5, ...[10.6, 10.7, 10.8, 10.9, 11, 11.1, 11.2, 11.3, 11.4, 11.5, 11.6, 11.7, 11.8, 11.9].map((time) => expect.closeTo(time) as number)]);
  const even = Float64Array.from({ length: 100 }, (_, n) => n / 25);
  expect(cutTimes(even, 4)).toBe(even);
});

it('the shown frame is the last one that has begun', () => {
  expect([-1, 0, 5, 9.9999, 11].map((time) => shownFrame(slides, time))).toEqual([0, 0, 0.04, 10, 10.5]);
  expect([0, 0.02, 0.04, 5, 10, 10.2, 10.5, 11].map((time) => isHeld(slides, time))).toEqual([false, false, false, true, false, false, false, true]);
});
