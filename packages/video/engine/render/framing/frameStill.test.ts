import { expect, it } from 'vitest';
import { frameStill } from './frameStill.ts';

/** A picture whose red is the column and whose green is the row. */
const picture = { width: 8, height: 4, rgb: Uint8Array.from({ length: 8 * 4 * 3 }, (_, at) => (at % 3 === 0 ? (at / 3) % 8 : at % 3 === 1 ? Math.floor(at / 24) : 9)) };
const pixels = ({ rgb }: { rgb: Uint8Array }): string[] => Array.from({ length: rgb.length / 3 }, (_, at) => rgb.subarray(3 * at, 3 * at + 3).join(' '));

it('a still is cropped at its position', () => {
  expect(pixels(frameStill(picture, { width: 2, height: 4 }, 0.5))).toEqual([0, 1, 2, 3].flatMap((row) => [`3 ${row} 9`, `4 ${row} 9`]));
  expect(pixels(frameStill(picture, { width: 8, height: 2 }, 1)).slice(0, 2)).toEqual(['0 2 9', '1 2 9']);
});

it('a still is padded with black on both sides', () => {
  const padded = pixels(frameStill(picture, { width: 12, height: 4 }, 0));
  expect(padded.slice(0, 4)).toEqual(['0 0 0', '0 0 0', '0 0 9', '1 0 9']);
  expect(padded.slice(9, 12)).toEqual(['7 0 9', '0 0 0', '0 0 0']);
  const tall = pixels(frameStill(picture, { width: 8, height: 8 }, 0));
  expect([tall[0], tall[16], tall[47], tall[48]]).toEqual(['0 0 0', '0 0 9', '7 3 9', '0 0 0']);
});
