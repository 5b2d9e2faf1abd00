import { expect, it } from 'vitest';
import { paintFace } from '../testing/paintFace.ts';
import { clearestFace } from './clearestFace.ts';
import type { RgbPicture } from './findFaces.ts';

const [width, height] = [320, 180];

/** A drawn face, with each pixel replaced by the mean of the square of `2 * blur + 1` pixels around it. */
function portrait(face: { x: number; y: number; height: number }, blur = 0): RgbPicture {
  const sharp = new Uint8Array(width * height * 3).fill(120);
  paintFace({ width, height, rgb: sharp }, face);
  const meanAt = (_: number, at: number): number => {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    let [sum, count] = [0, 0];
    for (let row = Math.max(0, y - blur); row <= Math.min(height - 1, y + blur); row++) {
      for (let column = Math.max(0, x - blur); column <= Math.min(width - 1, x + blur); column++) [sum, count] = [sum + sharp[(row * width + column) * 3 + (at % 3)]!, count + 1];
    }
    return sum / count;
  };
  return { width, height, rgb: sharp.map(meanAt) };
}

const bounds = ({ x, y, height: tall }: { x: number; y: number; height: number }): { left: number; top: number; width: number; height: number; score: number } => (
  { left: (x - 0.4 * tall) / width, top: (y - 0.5 * tall) / height, width: (0.8 * tall) / width, height: tall / height, score: 0.9 });

it('prefers a face that is large, whole and sharp to one that is tiny, cut by the border or blurred', () => {
  const place = { x: 150, y: 90, height: 70 };
  expect(clearestFace(portrait(place), [bounds(place)])).toBeGreaterThan(0.95);
  expect(clearestFace(portrait(place, 6), [bounds(place)])).toBeLessThan(0.5);
  const tiny = { x: 150, y: 90, height: 16 };
  expect(clearestFace(portrait(tiny), [bounds(tiny)])).toBe(0);
  const cut = { x: 12, y: 90, height: 70 };
  expect(clearestFace(portrait(cut), [bounds(cut)])).toBe(0);
  expect(clearestFace(portrait(place), [bounds(tiny), bounds(place)])).toBeGreaterThan(0.95);
});

it('is 0 without a face', () => {
  expect(clearestFace(portrait({ x: 150, y: 90, height: 70 }), [])).toBe(0);
});
