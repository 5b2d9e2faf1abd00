import { describe, expect, it } from 'vitest';
import { testAnalysis } from '../testing/testAnalysis.ts';
import { buildTimeline } from './buildTimeline.ts';
import { findRepeats } from './findRepeats.ts';

/** One scene three times, between other scenes; it becomes brighter from 60 to 160 levels of grey, so that no part of it resembles another. */
const copies = [0, 20, 40];
const analysis = testAnalysis([1, 2, 1, 3, 1].map((look) => ({ seconds: 10, look })));
const ramp = (time: number): number => (time % 20 < 10 ? 60 + 10 * (time % 10) : 110);
const { times } = analysis.frames;
const seen = (copy: number, time: number): boolean => time >= copies[copy]! && time < copies[copy]! + 10;
/** The frames if only key frames, every 10 s, are known, except in the copies `dense`. */
const framesWith = (...dense: number[]) => ({ ...analysis.frames, brightness: Float32Array.from(times, (time) => ramp(dense.some((copy) => seen(copy, time)) ? time : 10 * Math.floor(time / 10 + 1e-6))) });

describe('repeats in a video of which only some parts are known frame by frame', () => {
  const coarse = { ...analysis, tier: 'fast' as const, frames: framesWith() };

  it('have one first occurrence, where all frames of the later copies are known', () => {
    expect([...findRepeats({ ...coarse, frames: framesWith(1, 2) })].map(Math.round)).toEqual([0, 0, 0, 0, 20]);
    const { repeats } = buildTimeline({ ...coarse, denseFrames: framesWith(1, 2) });
    expect([...repeats].map(Math.round)).toEqual([0, 0, 20, 0, 40]);
  });

  it('are still found where a cut is known in one copy alone', () => {
    const shots = analysis.shots.flatMap(({ start, end }) => (start === 20 ? [{ start, end: 24 }, { start: 24, end }] : [{ start, end }]));
    const known = { shots: analysis.shots, repeats: findRepeats(coarse) };
    expect([...known.repeats].map(Math.round)).toEqual([0, 0, 20, 0, 40]);
    const { repeats } = buildTimeline({ ...coarse, shots, denseFrames: framesWith(0, 1, 2), coarse: known });
    expect([...repeats].map(Math.round)).toEqual([0, 0, 20, 20, 0, 40]);
  });

  it('are still found where a cut is no longer known in one copy', () => {
    const shots = [{ start: 0, end: 10 }, { start: 10, end: 30 }, ...analysis.shots.slice(3)];
    const known = { shots: analysis.shots, repeats: findRepeats(coarse) };
    const { repeats, repeatShots } = buildTimeline({ ...coarse, shots, denseFrames: framesWith(1), coarse: known });
    expect(repeatShots).toEqual(analysis.shots);
    expect([...repeats].map(Math.round)).toEqual([0, 0, 20, 0, 40]);
  });
});
