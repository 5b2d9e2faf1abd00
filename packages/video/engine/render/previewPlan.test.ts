import { describe, expect, it } from 'vitest';
import { planPreview, sampleOf, soundRate } from './previewPlan.ts';

const ntsc = { numerator: 30_000, denominator: 1001 };
const grid = (perSecond: number, seconds: number): number[] => Array.from({ length: Math.round(perSecond * seconds) }, (_, frame) => frame / perSecond);

describe('the plan of a preview', () => {
  it('lasts as long as its segments, within half a frame, however many they are', () => {
    const segments = Array.from({ length: 40 }, (_, index) => ({ start: index * 10, end: index * 10 + 1.017 }));
    const plan = planPreview({ segments, frameTimes: grid(29.97, 420), rate: ntsc, crossfade: 0 });
    const seconds = (plan.frames * 1001) / 30_000;
    expect(Math.abs(seconds - 40 * 1.017)).toBeLessThanOrEqual(0.5 * (1001 / 30_000) + 1e-9);
  });

  it('has pieces without gap or overlap, with and without crossfade', () => {
    for (const crossfade of [0, 0.4, 2]) {
      const segments = [{ start: 1, end: 3 }, { start: 8, end: 8.4 }, { start: 20, end: 25 }];
      const { pieces, frames, parts } = planPreview({ segments, frameTimes: grid(25, 30), rate: { numerator: 25, denominator: 1 }, crossfade });
      let at = 0;
      for (const piece of pieces) {
        expect(piece.at).toBe(at);
        expect(piece.frames).toBeGreaterThan(0);
        at += piece.frames;
      }
      expect(at).toBe(frames);
      expect(frames).toBe(parts.reduce((sum, part) => sum + part.frames - part.overlapBefore, 0));
    }
  });

  it('crossfades from the end of one segment into the beginning of the next', () => {
    const segments = [{ start: 1, end: 3 }, { start: 8, end: 10 }];
    const { pieces, parts } = planPreview({ segments, frameTimes: grid(25, 30), rate: { numerator: 25, denominator: 1 }, crossfade: 0.4 });
    expect(pieces).toEqual([
      { from: 1, at: 0, frames: 40 },
      { from: 2.6, at: 40, frames: 10, into: { from: 8 } },
      { from: 8.4, at: 50, frames: 40 },
    ]);
    expect(parts[1]).toMatchObject({ at: 40, frames: 50, overlapBefore: 10 });
  });

  it('fades nothing where the source runs on from one segment to the next', () => {
    const segments = [{ start: 1, end: 3 }, { start: 3, end: 5 }, { start: 9, end: 10 }];
    const { parts } = planPreview({ segments, frameTimes: grid(25, 30), rate: { numerator: 25, denominator: 1 }, crossfade: 0.4 });
    expect(parts.map(({ overlapBefore, continuesBefore }) => [overlapBefore, continuesBefore])).toEqual([[0, false], [0, true], [10, false]]);
  });

  it('gives each part as many samples as its frames last: no drift', () => {
    expect(sampleOf(30_000, ntsc)).toBe(1001 * soundRate);
    expect(sampleOf(1, ntsc)).toBe(1602);
  });

  it('gives a segment shorter than a frame one frame', () => {
    const { frames } = planPreview({ segments: [{ start: 1, end: 1.001 }], frameTimes: grid(25, 3), rate: { numerator: 25, denominator: 1 }, crossfade: 1 });
    expect(frames).toBe(1);
  });
});
