import { describe, expect, it } from 'vitest';
import { PictureMeter } from '../pictures/pictureMeter.ts';
import { dimPage, insertPart, paintPage } from '../testing/paintPages.ts';
import { dissolve, paintEven, paintScene } from '../testing/paintPictures.ts';
import { detectShots } from './detectShots.ts';

const rate = 25;

/** Transitions as kind and frame. */
function detect(pictures: readonly Uint8Array[], seconds = 1 / rate): string[] {
  const meter = new PictureMeter();
  pictures.forEach((data, number) => meter.add({ time: number * seconds, data }));
  return detectShots(meter.finish(), pictures.length * seconds).transitions.map(({ kind, start }) => `${kind} ${Math.round(start * rate)}`);
}

const hold = (page: Uint8Array, seconds: number): Uint8Array[] => Array.from({ length: seconds * rate }, () => page);

describe('changes from page to page', () => {
  const slides = [...hold(paintPage(1), 6), ...hold(paintPage(2), 6), ...hold(paintPage(3), 6)];

  it('are cuts where slides on one template have another text', () => {
    expect(detect(slides)).toEqual(['cut 150', 'cut 300']);
  });

  it('are cuts where a speaker moves beside the slides', () => {
    const speaker = paintScene({ seed: 40, noise: 20 }, slides.length);
    expect(detect(slides.map((page, number) => insertPart(page, speaker[number]!, { left: 72, right: 96, from: 40, to: 54 })))).toEqual(['cut 150', 'cut 300']);
  });

  it('are cuts where one picture of each slide is stored', () => {
    expect(detect([1, 2, 3, 4].map((seed) => paintPage(seed)), 8)).toEqual(['cut 200', 'cut 400']);
  });

  it('are dissolves where one slide dissolves into the next', () => {
    const [first, second] = [hold(paintPage(1), 7), hold(paintPage(2), 7)];
    const found = detect([...first.slice(0, 150), ...dissolve(first.slice(0, 15), second.slice(0, 15)), ...second]);
    expect(found).toEqual([expect.stringMatching(/^dissolve 15[0-3]$/)]);
  });

  it('are not seen where a line is added, a cursor moves or the light changes', () => {
    expect(detect([2, 3, 4, 5].flatMap((lines) => hold(paintPage(1, lines), 6)))).toEqual([]);
    const black = paintEven(16);
    expect(detect(hold(paintPage(1), 8).map((page, number) => insertPart(page, black, { left: number % 90, right: (number % 90) + 3, from: 20, to: 24 })))).toEqual([]);
    expect(detect([...hold(paintPage(1), 6), ...hold(dimPage(paintPage(1), 0.8), 6)])).toEqual([]);
  });

  it('are not seen where somebody scrolls every other second', () => {
    const scrolled = [1, 2, 3, 4].flatMap((seed) => hold(paintPage(seed), 2));
    expect(detect([...hold(paintPage(9), 6), ...scrolled, ...hold(paintPage(8), 6)])).toEqual(['cut 150', 'cut 350']);
  });
});
