import { describe, expect, it } from 'vitest';
import { PictureMeter } from '../pictures/pictureMeter.ts';
import { dimPage, insertPart, paintPage } from '../testing/paintPages.ts';
import { dissolve, mixPictures, paintEven, paintScene } from '../testing/paintPictures.ts';
import { withCertainChanges } from './certainChanges.ts';
import { detectShots, shotsBetween } from './detectShots.ts';
import { needsExact, refineTransitions } from './refineTransitions.ts';
import type { Transition } from './shot.ts';

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

  it('are dissolves up to the picture that only a key frame corrects', () => {
    const [first, second] = [paintPage(1), paintPage(2)];
    const pictures = Array.from({ length: 340 }, (_, number) => mixPictures(first, second, number >= 170 ? 1 : Math.min(0.85, Math.max(0, (number - 149) / 15))));
    const meter = new PictureMeter();
    pictures.forEach((data, number) => meter.add({ time: number / rate, data }));
    const [found, ...others] = detectShots(meter.finish(), pictures.length / rate).transitions;
    expect([found!.kind, others.length]).toEqual(['dissolve', 0]);
    expect(Math.abs(found!.end * rate - 162)).toBeLessThanOrEqual(1);
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

/** Transitions of a video of which `keep` names the decoded frames, each place in question then being decoded completely. */
function detectSparse(pictures: readonly Uint8Array[], keep: (number: number) => boolean): string[] {
  const measure = (chosen: (number: number) => boolean) => {
    const meter = new PictureMeter();
    pictures.forEach((data, number) => {
      if (chosen(number)) meter.add({ time: number / rate, data });
    });
    return meter.finish();
  };
  const [count, end] = [pictures.length, pictures.length / rate];
  const packets = { times: Float64Array.from({ length: count }, (_, number) => number / rate), sizes: new Uint32Array(count).fill(100), keys: Uint8Array.from({ length: count }, (_, number) => Number(number % 250 === 0)) };
  const detected = detectShots(withCertainChanges(measure(keep)), end);
  const windows = needsExact(detected.places, packets).map((window) => ({ window, measured: measure((number) => number / rate >= window.from && number / rate < window.to) }));
  return refineTransitions(detected, windows, end).transitions.map(({ kind, start }) => `${kind} ${Math.round(start * rate)}`);
}

describe('changes from page to page among some of the frames', () => {
  const third = (number: number): boolean => number % 3 === 0;

  it('are cuts at the exact frame where both pages are still', () => {
    expect(detectSparse([...hold(paintPage(1), 6), ...hold(paintPage(2), 5), ...hold(paintPage(3), 6)], third)).toEqual(['cut 150', 'cut 275']);
  });

  it('are dissolves where both pages are still', () => {
    const [first, second] = [hold(paintPage(1), 7), hold(paintPage(2), 7)];
    const found = detectSparse([...first.slice(0, 150), ...dissolve(first.slice(0, 15), second.slice(0, 15)), ...second], third);
    expect(found).toEqual([expect.stringMatching(/^dissolve 15[0-3]$/)]);
  });

  it('are not seen between pages that are shown for a second, or where a line is added', () => {
    expect(detectSparse([...hold(paintPage(1), 6), ...[2, 3, 4].flatMap((seed) => hold(paintPage(seed), 1)), ...hold(paintPage(5), 6)], third)).toEqual([]);
    expect(detectSparse([2, 3, 4, 5].flatMap((lines) => hold(paintPage(1, lines), 6)), third)).toEqual([]);
  });
});

/** Transitions after all frames from 4 to 10 s were decoded, of two slides that dissolve at 6 s. */
function refineSlides(known: readonly Transition[]): string[] {
  const [first, second] = [hold(paintPage(1), 7), hold(paintPage(2), 7)];
  const pictures = [...first.slice(0, 150), ...dissolve(first.slice(0, 15), second.slice(0, 15)), ...second];
  const meter = new PictureMeter();
  pictures.forEach((data, number) => {
    if (number >= 4 * rate && number < 10 * rate) meter.add({ time: number / rate, data });
  });
  const end = pictures.length / rate;
  const detected = { transitions: [...known], shots: shotsBetween(known, 0, end), places: [] };
  return refineTransitions(detected, [{ window: { from: 4, to: 10 }, measured: meter.finish() }], end).transitions.map(({ kind, start }) => `${kind} ${Math.round(start * rate)}`);
}

describe('a dissolve from page to page, where all frames are decoded', () => {
  it('stays, at the exact frame, if it was known', () => {
    expect(refineSlides([{ kind: 'dissolve', start: 6.2, end: 6.6, confidence: 0.7 }])).toEqual([expect.stringMatching(/^dissolve 15[0-3]$/)]);
  });

  it('is not found if none was known there', () => {
    expect(refineSlides([])).toEqual([]);
    expect(refineSlides([{ kind: 'dissolve', start: 11, end: 11.5, confidence: 0.7 }])).toEqual(['dissolve 275']);
  });
});
