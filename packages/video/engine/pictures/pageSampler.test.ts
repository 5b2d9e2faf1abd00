import { describe, expect, it } from 'vitest';
import { insertPart, paintPage } from '../testing/paintPages.ts';
import { paintEven, paintScene } from '../testing/paintPictures.ts';
import { PictureMeter } from './pictureMeter.ts';

const rate = 10;
const hold = (page: Uint8Array, seconds: number): Uint8Array[] => Array.from({ length: seconds * rate }, () => page);

/** Numbers of the pages at each half second. */
function pagesOf(pictures: readonly Uint8Array[], seconds = 1 / rate): number[] {
  const meter = new PictureMeter();
  pictures.forEach((data, number) => meter.add({ time: number * seconds, data }));
  return [...meter.finish().frames.pages];
}

/** Numbers without those that follow the same number. */
const inTurn = (pages: readonly number[]): number[] => pages.filter((page, index) => page !== pages[index - 1]);

describe('the pages of a video', () => {
  const slides = [...hold(paintPage(1), 4), ...hold(paintPage(2), 4), ...hold(paintPage(1), 4)];

  it('are other pages where the text differs, and the same page where a slide is shown again', () => {
    expect(pagesOf(slides)).toEqual([...Array<number>(8).fill(1), ...Array<number>(8).fill(2), ...Array<number>(8).fill(1)]);
  });

  it('are the same beside a speaker who moves', () => {
    const speaker = paintScene({ seed: 40, noise: 20 }, slides.length);
    expect(inTurn(pagesOf(slides.map((page, number) => insertPart(page, speaker[number]!, { left: 72, right: 96, from: 40, to: 54 }))))).toEqual([1, 2, 1]);
  });

  it('are the same while lines are added, and when a slide is shown again as it was at first or at last', () => {
    const lines = [2, 3, 4, 5].flatMap((count) => hold(paintPage(1, count), 3));
    expect(inTurn(pagesOf([...lines, ...hold(paintPage(7), 3), ...hold(paintPage(1, 5), 3), ...hold(paintPage(7), 3), ...hold(paintPage(1, 2), 3)]))).toEqual([1, 2, 1, 2, 1]);
  });

  it('are other pages where two slides have a title and one line each', () => {
    expect(inTurn(pagesOf([1, 2, 3].flatMap((seed) => [1, 3, 5].flatMap((count) => hold(paintPage(seed, count), 3)))))).toEqual([1, 2, 3]);
  });

  it('are known where only some pictures are', () => {
    expect(inTurn(pagesOf([paintPage(1), paintPage(1), paintPage(2), paintPage(2), paintPage(1), paintPage(1)], 5))).toEqual([1, 2, 1]);
  });

  it('are none where a camera moves, where it stands before something without a ground, where somebody scrolls, and between two different key frames', () => {
    expect(inTurn(pagesOf(paintScene({ seed: 3, noise: 2 }, 60)))).toEqual([0]);
    expect(inTurn(pagesOf(hold(paintScene({ seed: 3, noise: 2 }, 1)[0]!, 6)))).toEqual([0]);
    expect(inTurn(pagesOf([1, 2, 3, 4, 5, 6].flatMap((seed) => hold(paintPage(seed), 1))))).toEqual([0]);
    expect(inTurn(pagesOf([1, 2, 3, 4].map((seed) => paintPage(seed)), 10))).toEqual([0]);
    expect(inTurn(pagesOf([]))).toEqual([]);
    expect(inTurn(pagesOf([paintEven(16)]))).toEqual([0]);
  });
});
