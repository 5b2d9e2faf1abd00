import { describe, expect, it } from 'vitest';
import { layoutLength } from '../pictures/frameTrack.ts';
import type { Analysis } from '../analysis/analysis.ts';
import { keepPictures, testAnalysis, type TestScene } from '../testing/testAnalysis.ts';
import { buildTimeline } from './buildTimeline.ts';
import { findChangePoints } from './findChangePoints.ts';
import { findCues } from './findCues.ts';
import { rankValues } from './rankValues.ts';
import { boundaryGrade, permission } from '../analysis/timeline.ts';

const scenes: TestScene[] = [
  { seconds: 10, look: 1 },
  { seconds: 20, look: 2, event: { at: 8, seconds: 3, motion: 10 } },
  { seconds: 20, look: 3, motion: 8 },
  { seconds: 20, look: 4, talk: true, event: { at: 15, seconds: 2, loudness: -8 } },
  { seconds: 10, look: 1 },
];

const strongest = (values: Float32Array): number => values.indexOf(Math.max(...values)) / 2;

describe('damaged parts', () => {
  const whole = testAnalysis([{ seconds: 40, look: 1 }, { seconds: 40, look: 2 }]);
  const lost = (from: number, to: number): typeof whole => ({ ...whole, frames: keepPictures(whole.frames, (time) => time < from || time >= to) });

  it('are parts whose frames were not decoded, also at the end', () => {
    const found = (analysis: typeof whole): [number, number][] => buildTimeline(analysis).cues.filter(({ kind }) => kind === 'damaged').map(({ start, end }) => [start, end]);
    expect([found(lost(20, 26)), found(lost(75, 90)), found(lost(20, 20.1)), found({ ...lost(20, 26), tier: 'balanced' })]).toEqual([[[20, 26]], [[75, 80]], [], []]);
  });
});

describe('the timeline', () => {
  const timeline = buildTimeline(testAnalysis(scenes));

  it('is surprised by a moving moment, not by a scene that moves all the time', () => {
    expect(strongest(timeline.motion)).toBeGreaterThanOrEqual(18);
    expect(strongest(timeline.motion)).toBeLessThan(21);
    const steady = timeline.motion.subarray(64, 96);
    expect(Math.max(...steady)).toBeLessThan(0.4);
  });

  it('is surprised by a blow, not by speech, which has a term of its own', () => {
    expect(strongest(timeline.sound)).toBeGreaterThanOrEqual(65);
    expect(strongest(timeline.sound)).toBeLessThan(67);
    expect(Math.max(...timeline.speech.subarray(0, 100))).toBe(0);
    expect(timeline.speech[110]).toBeGreaterThan(0.3);
  });

  it('finds what is shown once new, and what comes again known', () => {
    expect(timeline.novelty[50]!).toBeGreaterThan(timeline.novelty[5]!);
  });

  it('knows every edge of a shot as a place to cut, and in talk only pauses as silent', () => {
    const { times, grades } = timeline.boundaries;
    for (const edge of [0, 10, 30, 50, 70, 80]) expect(times.some((time) => Math.abs(time - edge) < 1e-6), `${edge} s`).toBe(true);
    for (const [index, time] of times.entries()) {
      const local = time - 50;
      const inWord = local > 0.03 && local < 14.9 && local % 0.6 > 0.03 && local % 0.6 < 0.37;
      if (inWord) expect(grades[index], `${time} s`).toBeGreaterThanOrEqual(boundaryGrade.shotInSpeech);
    }
  });

  it('starts and ends no segment within 1 s of a sudden jump within a shot, unless the preview has no other way to its length', () => {
    const analysis = testAnalysis(scenes);
    const { times, residual } = analysis.frames;
    // A jump in the third scene, as between two parts of one take. In the second scene, one picture after the jump changes as much.
    const jumps = [20, 40];
    for (const time of [...jumps, 20.04]) residual[times.findIndex((each) => each > time - 1e-6)] = 20;
    const { boundaries } = buildTimeline(analysis);
    const permissions = (kind: 'starts' | 'ends', from: number, to: number): number[] => [...boundaries[kind]].filter((_, index) => boundaries.times[index]! >= from && boundaries.times[index]! < to);
    expect(new Set(permissions('ends', 40.05, 40.95))).toEqual(new Set([permission.nearCut]));
    expect(new Set(permissions('starts', 39.05, 39.99))).toEqual(new Set([permission.nearCut]));
    expect(new Set([...permissions('ends', 41, 45), ...permissions('ends', 33, 39.99), ...permissions('starts', 40.05, 45)])).toEqual(new Set([permission.always]));
    expect(new Set([...permissions('ends', 19, 22), ...permissions('starts', 18.5, 22)])).toEqual(new Set([permission.always]));
  });

  it('ends no segment at a frame between two analysed frames of which the second is a jump, because the jump may be earlier', () => {
    const analysis = testAnalysis(scenes);
    const isPlain = (time: number): boolean => time > 35 && time < 44;
    const place = timeline.boundaries.times.findIndex((time, index) => isPlain(time) && timeline.boundaries.ends[index] === permission.always);
    const time = timeline.boundaries.times[place]!;
    const few = keepPictures(analysis.frames, (each) => each < time - 0.1 || each > time + 0.06);
    few.residual[few.times.findIndex((each) => each > time)] = 30;
    const { boundaries } = buildTimeline({ ...analysis, frames: few });
    expect(boundaries.times[place]).toBe(time);
    expect(boundaries.ends[place]).toBe(permission.nearCut);
  });

  it('finds black in frames that were decoded after the analysis, and keeps the motion of the analysis', () => {
    const analysis = testAnalysis([{ seconds: 20, look: 1 }, { seconds: 3, look: 2, black: true }, { seconds: 20, look: 3 }]);
    const keys = { ...analysis, tier: 'fast' as const, frames: keepPictures(analysis.frames, (time) => time % 10 < 0.01) };
    const black = ({ cues }: typeof timeline): number[][] => cues.filter(({ kind }) => kind === 'black').map(({ start, end }) => [start, end]);
    expect(black(buildTimeline(keys)).some(([start, end]) => start === 20 && end === 23)).toBe(false);
    const dense = buildTimeline({ ...keys, denseFrames: analysis.frames });
    expect(black(dense)).toEqual([[20, 23]]);
    expect(dense.motion).toEqual(buildTimeline(keys).motion);
  });

  it('hardly changes with the decoder: noise of a tenth of a grey value moves no value by more than 0.01', () => {
    const analysis = testAnalysis(scenes);
    const shaken = (values: Float32Array): Float32Array => values.map((value, index) => Math.max(0, value + 0.02 * Math.sin(index * 3.7)));
    const { difference, residual } = analysis.frames;
    const other = buildTimeline({ ...analysis, frames: { ...analysis.frames, difference: shaken(difference), residual: shaken(residual) } });
    for (const [cell, value] of timeline.motion.entries()) expect(Math.abs(other.motion[cell]! - value)).toBeLessThan(0.01);
  });
});

describe('technical cues', () => {
  /**
   * Finds the cues of a video whose parts have constant measurements: mean luma, standard deviation, saturation and change.
   */
  const cues = (parts: readonly { seconds: number; brightness: number; contrast: number; saturation: number; difference: number; sharpness?: number; bars?: boolean }[], change = (analysis: Analysis): Analysis => analysis) => {
    const analysis = testAnalysis(parts.map(({ seconds }, index) => ({ seconds, look: index + 1 })));
    const partAt = (time: number): (typeof parts)[number] => {
      let end = 0;
      return parts.find(({ seconds }) => time < (end += seconds) - 1e-9) ?? parts.at(-1)!;
    };
    const per = (value: (part: (typeof parts)[number]) => number): Float32Array => Float32Array.from(analysis.frames.times, (time) => value(partAt(time)));
    const layouts = analysis.frames.layouts.map((value, index) => {
      const part = partAt(Math.floor(index / layoutLength) / 2);
      return part.bars === true && index % layoutLength < 48 ? [180, 162, 131, 112, 84, 65, 50, 35][(index % layoutLength) % 8]! : value;
    });
    return findCues(change({ ...analysis, frames: {
      ...analysis.frames, brightness: per((part) => part.brightness), contrast: per((part) => part.contrast), saturation: per((part) => part.saturation),
      difference: per((part) => part.difference), sharpness: per((part) => part.sharpness ?? 2.5), residual: per((part) => Math.min(part.difference, 1.2)), layouts,
    } }));
  };
  const film = { seconds: 40, brightness: 100, contrast: 40, saturation: 20, difference: 2 };
  const darkFilm = { seconds: 40, brightness: 38, contrast: 24, saturation: 4, difference: 2 };

  it('are bars, black, a slate after bars, a title, and credits that roll', () => {
    const found = cues([
      { seconds: 5, brightness: 105, contrast: 48, saturation: 48, difference: 0, bars: true },
      { seconds: 2, brightness: 16, contrast: 0, saturation: 0, difference: 0 },
      { seconds: 3, brightness: 21, contrast: 30, saturation: 0, difference: 0 },
      film,
      { seconds: 4, brightness: 19, contrast: 15, saturation: 0, difference: 0 },
      darkFilm,
      { seconds: 15, brightness: 25, contrast: 40, saturation: 0, difference: 3 },
    ]);
    expect(found.filter(({ kind }) => kind !== 'static').map(({ kind, start, end }) => [kind, Math.round(start), Math.round(end)])).toEqual([
      ['bars', 0, 5], ['black', 5, 7], ['slate', 7, 10], ['title', 50, 54], ['credits', 94, 109],
    ]);
  });

  it('are white, but no bright wall and no snow', () => {
    const bright = { seconds: 3, brightness: 234, saturation: 0, difference: 0.3 };
    const found = cues([film, { ...bright, contrast: 1 }, film, { ...bright, contrast: 5 }, film, { ...bright, contrast: 1, brightness: 220 }, film]);
    expect(found.map(({ kind, start, end }) => [kind, Math.round(start), Math.round(end)])).toEqual([['white', 40, 43]]);
  });

  it('are grey letters on black, and parts that are nearly black compared with the video, but no night scene with a face', () => {
    const letters = { seconds: 3, brightness: 17.2, contrast: 3.1, saturation: 0, difference: 0.5 };
    const dark = { seconds: 4, brightness: 32, contrast: 7, saturation: 4, difference: 2 };
    const night = { seconds: 4, brightness: 34, contrast: 17, saturation: 4, difference: 2 };
    expect(cues([letters, film, dark, film, night, film]).map(({ kind, start, end }) => [kind, Math.round(start), Math.round(end)])).toEqual([['title', 0, 3], ['dim', 43, 47]]);
    expect(cues([dark, darkFilm, dark]).filter(({ kind }) => kind === 'dim')).toEqual([]);
    expect(cues([film, { ...dark, seconds: 60 }]).filter(({ kind }) => kind === 'dim')).toEqual([]);
  });

  it('are no night scenes in which something small is bright, such as fireworks or lights', () => {
    const fireworks = { seconds: 6, brightness: 31, contrast: 7, saturation: 7, difference: 2, sharpness: 12 };
    expect(cues([film, fireworks, film])).toEqual([]);
    expect(cues([film, { ...fireworks, sharpness: 4 }, film])).toMatchObject([{ kind: 'dim' }]);
  });

  it('end between two key frames at the first known cut, at the latest at the second one, and half-way without a cut, but at the second one where no frame was skipped', () => {
    const dark = { seconds: 3, brightness: 32, contrast: 7, saturation: 4, difference: 2 };
    const kept = (analysis: Analysis): Analysis => ({ ...analysis, tier: 'fast', frames: keepPictures(analysis.frames, (time) => Math.abs(time / 8 - Math.round(time / 8)) < 1e-6) });
    const dimOf = (change: (analysis: Analysis) => Analysis): [number, number][] => cues([film, dark, film], change).map(({ start, end }) => [start, end]);
    expect(dimOf(kept)).toEqual([[40, 43]]);
    expect(dimOf((analysis) => ({ ...kept(analysis), shots: [{ start: 0, end: 84 }] }))).toEqual([[40, 44]]);
    expect(dimOf((analysis) => ({ ...kept(analysis), shots: [{ start: 0, end: 46 }, { start: 46, end: 84 }] }))).toEqual([[40, 46]]);
    expect(dimOf((analysis) => ({ ...kept(analysis), shots: [{ start: 0, end: 48 }, { start: 48, end: 84 }] }))).toEqual([[40, 48]]);
    expect(dimOf((analysis) => ({ ...kept(analysis), frameTimes: kept(analysis).frames.times }))).toEqual([[40, 48]]);
  });

  it('are scenes darkened between black bars, whose edges have contrast', () => {
    const darkened = { seconds: 4, brightness: 36, contrast: 13, saturation: 6, difference: 2 };
    expect(cues([film, darkened, { ...film, contrast: 55 }]).map(({ kind, start, end }) => [kind, Math.round(start), Math.round(end)])).toEqual([['dim', 40, 44]]);
  });

  it('are parts in which nothing is in focus, but not a video without focus, nor plain colour', () => {
    const soft = { seconds: 4, brightness: 90, contrast: 30, saturation: 20, difference: 2, sharpness: 0.6 };
    const plain = { seconds: 4, brightness: 90, contrast: 1, saturation: 20, difference: 2, sharpness: 0.3 };
    expect(cues([film, soft, film, plain, film]).map(({ kind, start, end }) => [kind, Math.round(start), Math.round(end)])).toEqual([['blurred', 40, 44]]);
    expect(cues([film, { ...soft, seconds: 40 }])).toEqual([]);
  });

  it('are not made of a film of intertitles', () => {
    const card = { seconds: 20, brightness: 21, contrast: 30, saturation: 0, difference: 0.5 };
    expect(cues([film, card, film, card, card, card]).filter(({ kind }) => kind !== 'black')).toEqual([]);
  });
});

describe('change points', () => {
  it('lie where a sequence changes, and nowhere in noise', () => {
    const rows = (levels: readonly number[]): Float32Array => Float32Array.from(levels.flatMap((level, index) => [level + 0.1 * Math.sin(index * 7), -level]));
    const steps = rows([...Array<number>(12).fill(0), ...Array<number>(20).fill(3), ...Array<number>(16).fill(1)]);
    expect(findChangePoints(steps, 2, 4, 0.6)).toEqual([12, 32]);
    expect(findChangePoints(rows(Array<number>(48).fill(2)), 2, 4, 0.6)).toEqual([]);
    expect(findChangePoints(rows([1, 9]), 2, 4, 0.6)).toEqual([]);
  });
});

describe('ranks', () => {
  it('order values and treat near ones alike', () => {
    const ranks = rankValues(Float32Array.from([1, 5, 9, 5.001]), 0.1);
    expect(ranks[0]).toBeLessThan(ranks[1]!);
    expect(ranks[1]).toBeLessThan(ranks[2]!);
    expect(Math.abs(ranks[3]! - ranks[1]!)).toBeLessThan(0.01);
    expect(Array.from(rankValues(new Float32Array(7).fill(3), 0.1))).toEqual(Array(7).fill(0.5));
  });
});
