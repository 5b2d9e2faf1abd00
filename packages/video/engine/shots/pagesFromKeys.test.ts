import { describe, expect, it } from 'vitest';
import type { PacketIndex } from '../media/mediaInfo.ts';
import { analysisWidth } from '../pictures/frameTrack.ts';
import { PictureMeter } from '../pictures/pictureMeter.ts';
import { insertPart, paintPage } from '../testing/paintPages.ts';
import { mixPictures, paintScene } from '../testing/paintPictures.ts';
import { detectFromKeys } from './detectFromKeys.ts';
import type { DetectedShots } from './detectShots.ts';

const rate = 25;

interface Film {
  seconds: number;
  /** The picture of each key frame, by its number. */
  keys: Readonly<Record<number, Uint8Array>>;
  /** Sizes of large packets, by their number. */
  large?: Readonly<Record<number, number>>;
  /** Size of the other packets. */
  usual?: number;
}

function detect({ seconds, keys, large = {}, usual = 40 }: Film): DetectedShots {
  const numbers = Array.from({ length: seconds * rate }, (_, number) => number);
  const packets: PacketIndex = {
    times: Float64Array.from(numbers, (number) => number / rate),
    sizes: Uint32Array.from(numbers, (number) => (number in keys ? 10_000 : large[number] ?? usual)),
    keys: Uint8Array.from(numbers, (number) => Number(number in keys)),
  };
  const meter = new PictureMeter();
  for (const [number, data] of Object.entries(keys)) meter.add({ time: Number(number) / rate, data });
  return detectFromKeys(meter.finish(), packets, seconds);
}

/** Frames at which transitions are found, with the last frame of a dissolve. */
function changesOf(film: Film): (number | string)[] {
  return detect(film).transitions.map(({ kind, start, end }) => (kind === 'cut' ? Math.round(start * rate) : `${kind} ${Math.round(start * rate)} ${Math.round(end * rate)}`));
}

/** A page whose lines are at other heights, so that its key frame correlates with none of the others. */
const title = paintPage(4).copyWithin(4 * analysisWidth, 0, 48 * analysisWidth);
const [one, two, three] = [1, 2, 3].map((seed) => paintPage(seed)) as [Uint8Array, Uint8Array, Uint8Array];

describe('changes from page to page, from key frames and packet sizes', () => {
  it('lie at key frames that come before their time', () => {
    expect(changesOf({ seconds: 30, keys: { 0: one, 250: one, 430: two, 650: three } })).toEqual([430, 650]);
  });

  it('lie at the large packet where key frames come at a fixed distance', () => {
    expect(changesOf({ seconds: 40, keys: { 0: one, 250: one, 500: two, 750: three }, large: { 380: 6_000, 610: 7_000 } })).toEqual([380, 610]);
  });

  it('are dissolves where several large packets follow each other', () => {
    const large = Object.fromEntries(Array.from({ length: 15 }, (_, step) => [380 + step, step % 4 === 3 ? 40 : 3_000]));
    expect(changesOf({ seconds: 30, keys: { 0: one, 250: one, 500: two }, large })).toEqual(['dissolve 380 394']);
  });

  it('are one dissolve where a key frame is in its middle, and nothing where the page stays', () => {
    const large = Object.fromEntries(Array.from({ length: 14 }, (_, step) => [244 + step, 2_500]));
    for (const share of [0.3, 0.5, 0.7]) expect(changesOf({ seconds: 30, keys: { 0: one, 250: mixPictures(one, two, share), 500: two }, large })).toEqual(['dissolve 244 257']);
    expect(changesOf({ seconds: 30, keys: { 0: one, 250: mixPictures(one, two, 0.5), 500: one }, large })).toEqual([]);
    expect(changesOf({ seconds: 30, keys: { 0: one, 250: mixPictures(one, two, 0.5), 500: two }, large: { 251: 2_500 } })).toEqual([]);
  });

  it('are no cut at the small rest of a dissolve', () => {
    const large = Object.fromEntries(Array.from({ length: 8 }, (_, step) => [380 + 2 * step, 3_000]));
    expect(changesOf({ seconds: 30, keys: { 0: one, 250: title, 500: two }, large: { ...large, 398: 480 } })).toEqual(['dissolve 380 394']);
  });

  it('are seen where a speaker moves beside the slides', () => {
    const speaker = paintScene({ seed: 40, noise: 20 }, 4);
    const [a, b, c, d] = [one, one, two, two].map((page, number) => insertPart(page, speaker[number]!, { left: 72, right: 96, from: 40, to: 54 })) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    expect(changesOf({ seconds: 40, keys: { 0: a, 250: b, 500: c, 750: d }, large: { 380: 8_000 }, usual: 400 })).toEqual([380]);
  });

  it('are not seen where lines are added', () => {
    const [few, some, all] = [2, 4, 5].map((lines) => paintPage(1, lines)) as [Uint8Array, Uint8Array, Uint8Array];
    expect(changesOf({ seconds: 30, keys: { 0: few, 180: some, 430: all }, large: { 90: 1_900, 300: 1_900 } })).toEqual([]);
  });

  it('are told from a line that is added before', () => {
    const [few, all] = [2, 5].map((lines) => paintPage(1, lines)) as [Uint8Array, Uint8Array];
    expect(changesOf({ seconds: 30, keys: { 0: few, 250: all, 494: two }, large: { 100: 1_900, 400: 1_900 } })).toEqual([494]);
  });

  it('are not seen where somebody scrolls every other second, but before and after', () => {
    const large = Object.fromEntries([230, 300, 350, 460, 520, 580, 700, 760, 820].map((number) => [number, 6_000]));
    expect(changesOf({ seconds: 40, keys: { 0: one, 240: two, 400: three, 640: one, 880: two }, large })).toEqual([230, 820]);
  });

  it('are not seen without any sign between the key frames, nor in parts that move', () => {
    expect(changesOf({ seconds: 30, keys: { 0: one, 250: one, 500: two } })).toEqual([]);
    expect(changesOf({ seconds: 30, keys: { 0: one, 180: two }, usual: 1_500 })).toEqual([]);
    const large = Object.fromEntries(Array.from({ length: 70 }, (_, step) => [300 + step, 3_000]));
    expect(changesOf({ seconds: 50, keys: { 0: one, 250: one, 750: two, 1000: two }, large })).toEqual([]);
  });
});

/** Numbers of the pages, each with the seconds from its first to its last half second. */
function pagesOf(film: Film): [number, number, number][] {
  const runs: [number, number, number][] = [];
  detect(film).pages!.forEach((page, row) => {
    if (runs.at(-1)?.[0] === page) runs.at(-1)![2] = row / 2;
    else runs.push([page, row / 2, row / 2]);
  });
  return runs;
}

describe('numbers of pages, from key frames and packet sizes', () => {
  it('change where the page does, and return with the page', () => {
    const pages = pagesOf({ seconds: 60, keys: { 0: one, 250: one, 500: two, 750: three, 1000: three, 1250: one, 1475: one }, large: { 380: 6_000, 610: 7_000, 1130: 7_000 } });
    expect(pages.map(([, from, to]) => [from, to])).toEqual([[0, 15], [15.5, 24], [24.5, 45], [45.5, 59.5]]);
    expect(new Set(pages.map(([page]) => page)).size).toBe(3);
    expect(pages[3]![0]).toBe(pages[0]![0]);
  });

  it('go on after the last key frame', () => {
    expect(pagesOf({ seconds: 29, keys: { 0: one, 250: one, 500: two }, large: { 380: 6_000 } }).map(([, from, to]) => [from, to])).toEqual([[0, 15], [15.5, 28.5]]);
  });

  it('are 0 in a film before and after', () => {
    const film = [3, 4, 5, 6].map((seed) => paintScene({ seed }, 1)[0]!);
    const pages = pagesOf({ seconds: 60, keys: { 0: film[0]!, 250: film[1]!, 300: one, 550: two, 800: two, 1000: film[2]!, 1250: film[3]! }, large: { 420: 7_000 } });
    expect(pages.map(([page]) => page)).toEqual([0, 2, 1, 0]);
    expect(pages[1]!.slice(1)).toEqual([12, 16.5]);
  });
});
