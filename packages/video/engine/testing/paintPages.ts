import { seededRandom } from '@vouch/platform/process/seededRandom';
import { analysisWidth } from '../pictures/frameTrack.ts';
import { lumaPixels } from '../pictures/pictureSketch.ts';
import { paintEven } from './paintPictures.ts';

/** First row of a line of a page, and rows between two lines, pixels. */
const [top, spacing] = [6, 9];

/** Paints a page of a slide template, 96 × 54 yuv420p: dark text on white, with lines at the same places on all pages. The same seed gives the same text. */
export function paintPage(seed: number, lines = 5): Uint8Array {
  const page = paintEven(235);
  const random = seededRandom(seed);
  for (let line = 0; line < lines; line++) {
    const length = 40 + Math.floor(40 * random.uniform());
    for (let row = 0; row < 3; row++) {
      for (let x = 6; x < 6 + length; x++) page[(top + line * spacing + row) * analysisWidth + x] = 90 + Math.floor(145 * random.uniform());
    }
  }
  return page;
}

/** Returns a page with a rectangle of another picture, in pixels. */
export function insertPart(page: Uint8Array, picture: Uint8Array, { left, right, from, to }: { left: number; right: number; from: number; to: number }): Uint8Array {
  const result = page.slice();
  for (let y = from; y < to; y++) result.set(picture.subarray(y * analysisWidth + left, y * analysisWidth + right), y * analysisWidth + left);
  return result;
}

/** Changes the light of a picture: multiplies luma above black. */
export function dimPage(page: Uint8Array, factor: number): Uint8Array {
  return page.map((value, at) => (at < lumaPixels ? 16 + (value - 16) * factor : value));
}
