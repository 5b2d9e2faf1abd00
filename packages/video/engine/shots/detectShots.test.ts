import { describe, expect, it } from 'vitest';
import { analysisWidth } from '../pictures/frameTrack.ts';
import { PictureMeter } from '../pictures/pictureMeter.ts';
import { halfPixels, lumaPixels } from '../pictures/pictureSketch.ts';
import { detectShots, type DetectedShots } from './detectShots.ts';
import { dissolve, mixPictures, paintEven, paintPicture, paintScene } from '../testing/paintPictures.ts';

const rate = 25;

function detect(pictures: readonly Uint8Array[], timeOf = (number: number): number => number / rate): DetectedShots {
  const meter = new PictureMeter();
  pictures.forEach((data, number) => meter.add({ time: timeOf(number), data }));
  return detectShots(meter.finish(), timeOf(pictures.length));
}

const cutsOf = ({ transitions }: DetectedShots): number[] => transitions.filter(({ kind }) => kind === 'cut').map(({ start }) => Math.round(start * rate));

describe('hard cuts', () => {
  it('lie at the first picture of the new shot', () => {
    const found = detect([...paintScene({ seed: 1, pan: 1 }, 40), ...paintScene({ seed: 2 }, 30), ...paintScene({ seed: 3, noise: 6 }, 30)]);
    expect(found.transitions.map(({ kind }) => kind)).toEqual(['cut', 'cut']);
    expect(cutsOf(found)).toEqual([40, 70]);
    expect(found.shots).toEqual([{ start: 0, end: 1.6 }, { start: 1.6, end: 2.8 }, { start: 2.8, end: 4 }]);
  });

  it('are found behind black bars, between dark pictures and beside black', () => {
    const bars = detect([...paintScene({ seed: 4, bars: 14 }, 30), ...paintScene({ seed: 5, bars: 14 }, 30)]);
    expect(cutsOf(bars)).toEqual([30]);
    const dim = (pictures: Uint8Array[]): Uint8Array[] => pictures.map((picture) => mixPictures(paintEven(16), picture, 0.15));
    expect(cutsOf(detect([...dim(paintScene({ seed: 6 }, 30)), ...dim(paintScene({ seed: 7 }, 30))]))).toEqual([30]);
    const black = Array.from({ length: 20 }, () => paintEven(16));
    expect(cutsOf(detect([...paintScene({ seed: 8 }, 30), ...black, ...paintScene({ seed: 9 }, 30)]))).toEqual([30, 50]);
  });

  it('are not seen in pans, noise, flicker, a still picture or black', () => {
    const flicker = paintScene({ seed: 10 }, 40).map((picture, number) => mixPictures(picture, paintEven(235), number % 2 === 0 ? 0 : 0.12));
    const scenes = [
      paintScene({ seed: 11, pan: 3 }, 40), paintScene({ seed: 12, pan: 9 }, 40), paintScene({ seed: 13, noise: 25 }, 40),
      flicker, paintScene({ seed: 14 }, 40), Array.from({ length: 40 }, () => paintEven(16)),
    ];
    for (const scene of scenes) expect(detect(scene).transitions).toEqual([]);
  });

  it('are not seen in flashes of one to three pictures', () => {
    for (const length of [1, 2, 3]) {
      for (const strength of [0.5, 0.8, 1]) {
        const pictures = paintScene({ seed: 15, pan: 1 }, 40).map((picture, number) =>
          number >= 20 && number < 20 + length ? mixPictures(picture, paintEven(235), strength) : picture);
        expect(detect(pictures).transitions).toEqual([]);
      }
    }
  });

  it.each([3, 4, 5])('are seen where the new shot pans %i pixels per picture and its brightness returns to that of the old shot', (pan) => {
    const old = paintScene({ seed: 36 }, 30);
    const level = (picture: Uint8Array): number => picture.subarray(0, lumaPixels).reduce((sum, luma) => sum + luma, 0) / lumaPixels;
    const moving = paintScene({ seed: 37, pan }, 40).map((picture, number) => {
      const shift = level(old[0]!) + Math.max(0, 20 - 7 * number) - level(picture);
      return picture.map((value, at) => (at < lumaPixels ? Math.max(16, Math.min(235, value + shift)) : value));
    });
    expect(cutsOf(detect([...old, ...moving]))).toEqual([30]);
  });

  it('are told from motion where each picture is shown four times', () => {
    const pictures = [...paintScene({ seed: 25, pan: 2, noise: 3 }, 40), ...paintScene({ seed: 26, pan: 2 }, 40)];
    expect(cutsOf(detect(pictures.map((_, number) => pictures[number - (number % 4)]!)))).toEqual([40]);
  });

  it('are seen between titles that stand still on black', () => {
    const title = (seed: number): Uint8Array[] => paintScene({ seed, bars: 24 }, 30);
    expect(cutsOf(detect([...title(27), ...title(28), ...Array.from({ length: 30 }, () => paintEven(16))]))).toEqual([30, 60]);
  });

  it('are seen between cards of one colour and the same brightness, but not where the colour stays', () => {
    const card = (u: number, v: number, noise = 0): Uint8Array[] => Array.from({ length: 25 }, (_, number) =>
      paintEven(120 + (noise === 0 ? 0 : number % 2)).fill(u, lumaPixels, lumaPixels + halfPixels).fill(v, lumaPixels + halfPixels));
    expect(cutsOf(detect([...card(90, 160), ...card(160, 90, 1), ...card(160, 150), ...card(165, 152)]))).toEqual([25, 50]);
  });

  it('keep their times where frames come unevenly', () => {
    const timeOf = (number: number): number => number * 0.04 + (number % 3) * 0.011 + (number > 50 ? 0.5 : 0);
    const found = detect([...paintScene({ seed: 16, pan: 1 }, 40), ...paintScene({ seed: 17 }, 40)], timeOf);
    expect(found.transitions.map(({ start }) => start)).toEqual([timeOf(40)]);
  });
});

describe('gradual transitions', () => {
  it.each([8, 14, 24, 40])('are found as a dissolve of %i pictures', (length) => {
    const out = paintScene({ seed: 18, pan: 0.2 }, 40 + length);
    const into = paintScene({ seed: 19, noise: 3 }, 40 + length);
    const found = detect([...out.slice(0, 40), ...dissolve(out.slice(40), into.slice(0, length)), ...into.slice(length)]);
    expect(found.transitions.map(({ kind }) => kind)).toEqual(['dissolve']);
    const [transition] = found.transitions;
    expect(Math.abs(transition!.start * rate - 40)).toBeLessThanOrEqual(3);
    expect(Math.abs(transition!.end * rate - 40 - length)).toBeLessThanOrEqual(3);
    expect(found.shots.length).toBe(2);
  });

  it.each([1, 2, 3])('are found where %i mixed pictures blend a cut, with the picture after them as the first of the new shot', (length) => {
    const out = paintScene({ seed: 38, pan: 0.5, noise: 2 }, 30 + length);
    const into = paintScene({ seed: 39, pan: 1, noise: 2 }, 30 + length);
    const found = detect([...out.slice(0, 30), ...dissolve(out.slice(30), into.slice(0, length)), ...into.slice(length)]);
    expect(found.transitions.map(({ kind, start, end }) => [kind, start, end])).toEqual([['dissolve', 30 / rate, (30 + length) / rate]]);
  });

  it('are not seen where a shot ends or starts with a flash', () => {
    const out = paintScene({ seed: 40, pan: 1 }, 30);
    const flash = mixPictures(out[29]!, paintEven(235), 0.6);
    const found = detect([...out, flash, ...paintScene({ seed: 41, pan: 1 }, 30)]);
    expect(found.transitions.map(({ kind }) => kind)).toEqual(['cut']);
  });

  it('are found as a dissolve if a key frame in its middle codes the noise anew', () => {
    const still = (seed: number, coding: number): Uint8Array => mixPictures(paintEven(120), paintPicture({ seed, noise: 30 }, coding), 0.4);
    const shown = (seed: number, count: number, key: number): Uint8Array[] => Array.from({ length: count }, (_, number) => still(seed, number < key ? 0 : 1));
    const found = detect([...shown(33, 40, 40), ...dissolve(shown(33, 24, 12), shown(34, 24, 12)), ...shown(34, 40, 0)]);
    expect(found.transitions.map(({ kind }) => kind)).toEqual(['dissolve']);
    expect(found.transitions[0]!.end * rate).toBeGreaterThan(60);
  });

  it('are found as one fade through black if the picture after it is almost flat', () => {
    const black = Array.from({ length: 12 }, () => paintEven(16));
    const out = paintScene({ seed: 30 }, 50);
    const into = paintScene({ seed: 31 }, 50).map((picture) => mixPictures(paintEven(120), picture, 0.08));
    const found = detect([...out.slice(0, 38), ...dissolve(out.slice(38), black), ...black.slice(8), ...dissolve(black, into.slice(0, 12)), ...into.slice(12)]);
    expect(found.transitions.map(({ kind }) => kind)).toEqual(['fade']);
  });

  it('are found as one fade through black', () => {
    const black = Array.from({ length: 12 }, () => paintEven(16));
    const out = paintScene({ seed: 20 }, 50);
    const into = paintScene({ seed: 21, pan: 1 }, 50);
    const found = detect([...out.slice(0, 38), ...dissolve(out.slice(38), black), ...black.slice(6), ...dissolve(black, into.slice(0, 12)), ...into.slice(12)]);
    expect(found.transitions.map(({ kind }) => kind)).toEqual(['fade']);
    expect(Math.abs(found.transitions[0]!.start * rate - 38)).toBeLessThanOrEqual(2);
    expect(Math.abs(found.transitions[0]!.end * rate - 68)).toBeLessThanOrEqual(2);
  });
});

describe('slow pans', () => {
  it('are not seen as dissolves', () => {
    for (const seed of [28, 29]) expect(detect(paintScene({ seed, pan: 0.2, size: 24, noise: 2 }, 75), (number) => number / 15).transitions).toEqual([]);
  });
});

describe('a bright ball that comes nearer before an even wall', () => {
  it.each([[3, 1.5], [3, 4], [6, 1.5]])('is not seen as a dissolve (texture %i, edge %d)', (texture, edge) => {
    const ball = (number: number): Uint8Array => {
      const way = Math.max(0, Math.min(1, (number - 30) / 24));
      const picture = paintEven(60);
      for (let at = 0; at < lumaPixels; at++) {
        const x = (at % analysisWidth) - 40 - 3 * way;
        const y = Math.floor(at / analysisWidth) - 30;
        const share = Math.max(0, Math.min(1, (18 + 6 * way - Math.hypot(x, y)) / edge + 0.5));
        picture[at] = Math.round(60 + share * (50 + 30 * Math.sin(x / texture) * Math.cos(y / texture)));
      }
      return picture;
    };
    expect(detect(Array.from({ length: 70 }, (_, number) => ball(number)), (number) => number / 24).transitions).toEqual([]);
  });
});

describe('shot detection', () => {
  it('gives the same answer each time', () => {
    const pictures = [...paintScene({ seed: 22, pan: 2, noise: 4 }, 40), ...paintScene({ seed: 23 }, 40)];
    expect(detect(pictures)).toEqual(detect(pictures));
  });

  it('has one shot where there is nothing, and none without pictures', () => {
    expect(detect(paintScene({ seed: 24 }, 1)).shots).toEqual([{ start: 0, end: 1 / rate }]);
    expect(detect([])).toEqual({ transitions: [], shots: [], places: [] });
  });
});
