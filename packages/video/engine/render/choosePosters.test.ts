import { describe, expect, it } from 'vitest';
import type { Segment } from '../selection/selection.ts';
import { testAnalysis } from '../testing/testAnalysis.ts';
import { chooseMoments, choosePosters, mayWin, preferFaces, preferWithoutText, type Poster } from './choosePosters.ts';

const analysis = testAnalysis([{ seconds: 4, look: 1 }, { seconds: 4, look: 2 }, { seconds: 4, look: 3 }, { seconds: 4, look: 4 }]);
const segment = (start: number, score: number): Segment => ({ start, end: start + 4, score, reasons: [], title: null, text: null });
const segments = [segment(0, 0.9), segment(4, 0.5), segment(8, 0.5), segment(12, 0.4)];

/** Changes the pictures of the video from a time, for 4 s. */
function change(name: 'brightness' | 'contrast' | 'detail' | 'difference', from: number, value: number): void {
  analysis.frames.times.forEach((time, index) => {
    if (time >= from && time < from + 4) analysis.frames[name][index] = value;
  });
}

describe('the poster', () => {
  // The most important segment is dark, the second is out of focus, and the fourth moves fast.
  change('brightness', 0, 24);
  change('detail', 4, 1);
  change('contrast', 4, 15);
  change('difference', 12, 12);

  it('is a bright, sharp and still picture, not a picture of the most important segment', () => {
    expect(choosePosters(analysis, segments)[0]).toMatchObject({ segment: 2 });
  });

  it('has alternatives from other segments, best first, at times of frames away from the ends', () => {
    const posters = choosePosters(analysis, segments).slice(0, 3);
    expect(posters.map((poster) => poster.segment)).toEqual([2, 3, 1]);
    for (const { time, segment: index, quality } of posters) {
      expect(analysis.frameTimes).toContain(time);
      expect(time).toBeGreaterThan(segments[index]!.start + 0.35);
      expect(time).toBeLessThan(segments[index]!.end - 0.35);
      expect(quality).toBeLessThanOrEqual(posters[0]!.quality);
    }
  });

  it('is of the more important segment where pictures are equally good', () => {
    const equal = testAnalysis([{ seconds: 4, look: 1 }, { seconds: 4, look: 2 }]);
    expect(choosePosters(equal, [segment(0, 0.2), segment(4, 0.8)])[0]).toMatchObject({ segment: 1 });
  });
});

describe('posters with text', () => {
  const posters = Array.from({ length: 9 }, (_, index): Poster => ({ time: index, segment: index, quality: 1 - index / 10 }));
  /** The order of segments, and the segments that were looked at, if those in `text` show text. */
  const order = async (text: readonly number[], wanted: number): Promise<{ ranked: number[]; looked: number[] }> => {
    const looked: number[] = [];
    const ranked = await preferWithoutText(posters, wanted, async ({ segment: index }) => {
      looked.push(index);
      return text.includes(index);
    });
    return { ranked: ranked.map((poster) => poster.segment), looked };
  };

  it('come after those without; no more pictures are looked at than needed', async () => {
    expect(await order([0, 2], 1)).toEqual({ ranked: [1, 0, 2, 3, 4, 5, 6, 7, 8], looked: [0, 1] });
    expect(await order([0, 2], 3)).toEqual({ ranked: [1, 3, 4, 0, 2, 5, 6, 7, 8], looked: [0, 1, 2, 3, 4] });
  });

  it('stay in their order if all pictures show text, after a bounded number of looks', async () => {
    const all = posters.map((poster) => poster.segment);
    expect(await order(all, 1)).toEqual({ ranked: all, looked: [0, 1, 2, 3, 4, 5] });
  });
});

describe('posters with faces', () => {
  const poster = (segment: number, quality: number, time = segment): Poster => ({ time, segment, quality });
  const posters = [poster(0, 0.8), poster(1, 0.7), poster(2, 0.3), poster(3, 0.2)];
  const look = (each: Poster, face = 0, text = false): { poster: Poster; face: number; text: boolean } => ({ poster: each, face, text });

  it('come before pictures of about the same quality, and bad pictures do not win by a face', () => {
    expect(preferFaces(posters, [look(posters[0]!), look(posters[1]!, 1), look(posters[2]!, 1)]).map(({ segment }) => segment)).toEqual([1, 0, 2, 3]);
  });

  it('are taken from another moment of the segment, except one with text', () => {
    const [face, text] = [poster(0, 0.7, 0.5), poster(1, 0.7, 1.5)];
    expect(preferFaces(posters, [look(posters[0]!), look(face, 0.9), look(text, 1, true)])).toEqual([face, ...posters.slice(1)]);
  });

  it('change nothing where no picture shows one', () => {
    expect(preferFaces(posters, posters.map((each) => look(each)))).toEqual(posters);
    expect(preferFaces(posters, [])).toEqual(posters);
  });

  it('are searched only where a face could win', () => {
    expect(mayWin(posters, look(posters[0]!)).map(({ segment }) => segment)).toEqual([0, 1]);
  });

  it('are searched in pictures of a segment that are 1.5 s apart', () => {
    const plain = testAnalysis([{ seconds: 4, look: 1 }, { seconds: 4, look: 2 }]);
    const two = segments.slice(0, 2);
    const moments = chooseMoments(plain, two);
    for (const one of choosePosters(plain, two)) expect(moments).toContainEqual(one);
    const times = moments.filter((each) => each.segment === 0).map(({ time }) => time).sort((one, other) => one - other);
    expect(times.length).toBeGreaterThan(1);
    for (const [at, time] of times.slice(1).entries()) expect(time - times[at]!).toBeGreaterThanOrEqual(1.49);
  });
});
