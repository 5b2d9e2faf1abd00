import { describe, expect, it } from 'vitest';
import { paintPage } from '../testing/paintPages.ts';
import { paintEven, paintPicture } from '../testing/paintPictures.ts';
import { lumaPixels } from './pictureSketch.ts';
import { replacedShare } from './pageBlocks.ts';

const luma = (picture: Uint8Array): Uint8Array => picture.subarray(0, lumaPixels);

describe('the share of a page that is replaced', () => {
  it('is large on another page, and 0 with one more line', () => {
    expect(replacedShare(luma(paintPage(1)), luma(paintPage(2)))).toBeGreaterThan(0.5);
    expect(replacedShare(luma(paintPage(1, 3)), luma(paintPage(1, 4)))).toBe(0);
  });

  it('is −1 for pictures that are no pages: black, and a take of a camera', () => {
    for (const picture of [paintEven(16), paintPicture({ seed: 1 }, 0)]) {
      expect(replacedShare(luma(paintPage(1)), luma(picture))).toBe(-1);
      expect(replacedShare(luma(picture), luma(paintPage(1)))).toBe(-1);
    }
  });
});
