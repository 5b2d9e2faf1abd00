import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { Problem } from '@vouch/platform/errors/problem';
import type { SummaryOptions } from '../options/options.schema.ts';
import { planPreview } from '../render/previewPlan.ts';
import { timelineOf, selectSegments } from './selectSegments.ts';
import { checkOptions } from './checkOptions.ts';
import { lengthOf, overlapOf, previewLength } from './range.ts';
import { testAnalysis, type TestScene } from '../testing/testAnalysis.ts';

const scenes: TestScene[] = [
  { seconds: 2, look: 0, black: true },
  { seconds: 11.4, look: 1, event: { at: 5, seconds: 2, motion: 9 } },
  { seconds: 3.2, look: 2 },
  { seconds: 0.8, look: 3 },
  { seconds: 1.2, look: 5, motion: 6 },
  { seconds: 14.6, look: 4, talk: true },
  { seconds: 25, look: 1, event: { at: 12, seconds: 3, loudness: -14 } },
  { seconds: 7, look: 2, talk: true },
  { seconds: 12, look: 6, motion: 5, loudness: -25 },
];
const analysis = testAnalysis(scenes);
const silent = testAnalysis(scenes, { silent: true });
const duration = scenes.reduce((sum, scene) => sum + scene.seconds, 0);

const seconds = (least: number, most: number): fc.Arbitrary<number> => fc.integer({ min: least * 10, max: most * 10 }).map((tenths) => tenths / 10);
const range = fc.tuple(seconds(0, 70), seconds(1, 8)).map(([start, length]) => ({ start, end: start + length }));
const anyOptions: fc.Arbitrary<SummaryOptions> = fc.record({
  duration: seconds(1, 90),
  min_segment_duration: seconds(0.3, 4),
  max_segment_duration: seconds(1, 20),
  max_segments: fc.integer({ min: 1, max: 12 }),
  exclude_start: fc.oneof(seconds(0, 30), fc.constantFrom('5%', '20%')),
  exclude_end: fc.oneof(seconds(0, 30), fc.constantFrom('5%', '12.5%')),
  include_ranges: fc.array(range, { maxLength: 2 }),
  exclude_ranges: fc.array(range, { maxLength: 3 }),
  skip_credits: fc.boolean(),
  keep_speech_whole: fc.boolean(),
  order: fc.constantFrom('chronological' as const, 'importance' as const),
  diversity: fc.constantFrom(0, 0.3, 1),
  weights: fc.record({ motion: fc.constantFrom(0, 1, 10), sound: fc.constantFrom(0, 1), speech: fc.constantFrom(0, 2) }, { requiredKeys: [] }),
  seed: fc.integer({ min: 1, max: 5 }),
}, { requiredKeys: [] });

describe('any options that do not contradict each other', () => {
  it('give segments of real frames, in bounds, without overlap, without what is excluded, of allowed lengths', () => {
    const frames = new Set([...analysis.frameTimes, duration]);
    fc.assert(fc.property(anyOptions, fc.boolean(), (options, mute) => {
      fc.pre(checkOptions(options, duration).length === 0);
      const source = mute ? silent : analysis;
      const selection = choose(source, options);
      if (selection === null) return;
      const { segments } = selection;
      const ordered = [...segments].sort((a, b) => a.start - b.start);
      for (const [index, segment] of ordered.entries()) {
        expect(segment.end).toBeGreaterThan(segment.start);
        expect(frames.has(segment.start) && frames.has(segment.end), `${segment.start}–${segment.end} are frames`).toBe(true);
        if (index > 0) expect(segment.start).toBeGreaterThanOrEqual(ordered[index - 1]!.end);
        for (const exclude of options.exclude_ranges ?? []) expect(overlapOf(segment, exclude)).toBeLessThanOrEqual(0.041);
        for (const { share } of segment.reasons) expect(share >= 0 && share <= 1).toBe(true);
        expect(segment.reasons.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-6);
        expect(segment.score >= 0 && segment.score <= 1).toBe(true);
        const included = segment.reasons.some(({ kind }) => kind === 'included');
        const asked = included || segment.reasons.some(({ kind }) => kind === 'whole');
        if (!included && options.max_segment_duration !== undefined) expect(segment.end - segment.start).toBeLessThanOrEqual(options.max_segment_duration + 1e-6);
        if (!asked && options.min_segment_duration !== undefined) expect(segment.end - segment.start).toBeGreaterThanOrEqual(options.min_segment_duration - 1e-6);
      }
      if (options.max_segments !== undefined) expect(segments.length).toBeLessThanOrEqual(options.max_segments);
      for (const include of options.include_ranges ?? []) {
        const covered = segments.reduce((sum, segment) => sum + overlapOf(segment, include), 0);
        expect(covered).toBeCloseTo(Math.min(include.end, duration) - include.start, 3);
      }
      const requested = options.duration ?? 30;
      // Included ranges are widened to whole frames.
      const met = Math.abs(lengthOf(segments) - requested) <= 0.5 + 0.08 * (options.include_ranges ?? []).length;
      expect(met || selection.warnings.length > 0, `${lengthOf(segments)} s for ${requested} s`).toBe(true);
    }), { numRuns: exhaustive ? 40 : 10, seed: 11 });
  });

  it('meet the length within half a second where the video has enough', () => {
    fc.assert(fc.property(seconds(1, 60), seconds(0.5, 3), seconds(4, 15), fc.constantFrom(0, 0.5, 1), fc.boolean(), (requested, least, most, diversity, mute) => {
      fc.pre(least <= requested);
      const { segments } = selectSegments(mute ? silent : analysis, { duration: requested, min_segment_duration: least, max_segment_duration: most, diversity });
      expect(Math.abs(lengthOf(segments) - requested), `${lengthOf(segments)} s for ${requested} s`).toBeLessThanOrEqual(0.5);
    }), { numRuns: exhaustive ? 30 : 10, seed: 12 });
  });
});

function choose(source: typeof analysis, options: SummaryOptions): ReturnType<typeof selectSegments> | null {
  try {
    return selectSegments(source, options);
  } catch (error) {
    if (error instanceof Problem && error.code === 'nothing-left') return null;
    throw error;
  }
}

describe('single options', () => {
  it('show the whole video with a warning where it is shorter than the requested length', () => {
    const { segments, warnings } = selectSegments(analysis, { duration: 200 });
    expect(segments.map(({ start, end }) => [start, end])).toEqual([[0, duration]]);
    expect(segments[0]!.reasons).toEqual([{ kind: 'whole', share: 1 }]);
    expect(warnings.map(({ code }) => code)).toEqual(['shorter-than-duration']);
  });

  it('say so where what they leave of the video is shorter than the requested length', () => {
    const { segments, warnings } = selectSegments(analysis, { ratio: 1, exclude_start: '50%' });
    expect(lengthOf(segments)).toBeCloseTo(duration / 2, 1);
    expect(warnings.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'shorter-than-duration: The options leave 38.6 s of the 77.2 s of the video, less than the requested 77.2 s of preview, so the preview shows all of this part.',
    ]);
  });

  it('bound the segments of a preview that has room for the whole video', () => {
    expect(selectSegments(analysis, { duration: 200, max_segments: 1, exclude_ranges: [{ start: 20, end: 22 }] }).segments).toHaveLength(1);
    for (const { start, end } of selectSegments(analysis, { duration: 200, max_segment_duration: 5 }).segments) expect(end - start).toBeLessThanOrEqual(5 + 1e-6);
  });

  it.each([1, 1.5, 2])('fill the preview with segments of at most %d s where nothing is said of the shortest', (most) => {
    const { segments, warnings } = selectSegments(analysis, { duration: 10, max_segment_duration: most });
    expect(warnings).toEqual([]);
    expect(Math.abs(lengthOf(segments) - 10)).toBeLessThanOrEqual(0.5);
    for (const { start, end } of segments) expect(end - start).toBeLessThanOrEqual(most + 1e-6);
  });

  it('take a share of the video', () => {
    expect(Math.abs(lengthOf(selectSegments(analysis, { ratio: 0.25 }).segments) - duration / 4)).toBeLessThanOrEqual(0.5);
  });

  it('make room for crossfades', () => {
    const { segments } = selectSegments(analysis, { duration: 20, crossfade: 0.5 });
    expect(Math.abs(lengthOf(segments) - 0.5 * (segments.length - 1) - 20)).toBeLessThanOrEqual(0.5);
  });

  it.each<SummaryOptions>([
    { duration: 20, crossfade: 2, max_segment_duration: 4 },
    { duration: 8, crossfade: 1, include_ranges: [{ start: 22, end: 22.5 }, { start: 30, end: 30.3 }] },
    { duration: 70, crossfade: 1, max_segment_duration: 5 },
  ])('count crossfades as they are rendered: none between segments that touch, short ones between short segments (%o)', (options) => {
    const { segments, warnings } = selectSegments(analysis, options);
    const frameTimes = [...analysis.frameTimes];
    const rate = { numerator: 25, denominator: 1 };
    const length = planPreview({ segments, frameTimes, rate, crossfade: options.crossfade! }).frames / 25;
    expect(previewLength(segments, options.crossfade!)).toBeCloseTo(length, 0);
    const told = warnings.map(({ detail }) => /only ([\d.]+) s/.exec(detail)?.[1]).find((seconds) => seconds !== undefined);
    expect(Math.abs(length - (told === undefined ? options.duration! : Number(told))), `${length} s`).toBeLessThanOrEqual(0.6);
  });

  it('put what is asked for into the preview, as the reason says', () => {
    const { segments } = selectSegments(analysis, { duration: 20, include_ranges: [{ start: 15, end: 17.5 }] });
    const asked = segments.find((segment) => segment.start <= 15 && segment.end >= 17.5)!;
    expect(asked.score).toBe(1);
    expect(asked.reasons[0]!.kind).toBe('included');
  });

  it.each<[SummaryOptions, string]>([
    [{ duration: 30, max_segments: 1, include_ranges: [{ start: 22, end: 26 }] }, 'only 4.0 s, 26.0 s less than the requested 30.0 s. Without max_segments 1, the preview would have 30.0 s; without include_ranges, 29.9 s.'],
    [{ duration: 6, include_ranges: [{ start: 22, end: 26.6 }] }, 'only 4.6 s, 1.4 s less than the requested 6.0 s. Without include_ranges, the preview would have 6.0 s.'],
    [{ exclude_ranges: [{ start: 0, end: 60 }] }, 'only 16.1 s, 13.9 s less than the default 30.0 s. Without exclude_ranges, the preview would have 30.0 s.'],
  ])('say which option makes a preview shorter than its length, and by how much (%o)', (options, text) => {
    const { warnings, segments } = selectSegments(analysis, options);
    expect(warnings).toEqual([{ code: 'less-than-duration', detail: `The preview has ${text}` }]);
    expect(text).toContain(`only ${lengthOf(segments).toFixed(1)} s`);
    // The length that the warning names is that of the preview without the option.
    const [, name, seconds] = /Without (\w+)[^,]*, the preview would have ([\d.]+) s/.exec(text)!;
    const rest = Object.fromEntries(Object.entries(options).filter(([key]) => key !== name));
    expect(lengthOf(selectSegments(analysis, rest).segments)).toBeCloseTo(Number(seconds), 1);
  });

  it.each<[SummaryOptions, RegExp | null]>([
    [{ duration: 20, crossfade: 2, max_segment_duration: 2 }, /^\d+ of \d+ crossfades are shorter than the requested 2 s, the shortest with [01]\.\d s, because a crossfade takes at most half of a segment\. Use a crossfade of at most [01](\.\d+)? s, or segments of at least 4 s \(min_segment_duration, max_segment_duration\)\.$/],
    [{ duration: 20, crossfade: 2, max_segment_duration: 2, order: 'importance' }, /^\d+ of \d+ crossfades are shorter/],
    [{ duration: 20, crossfade: 1, min_segment_duration: 2 }, null],
    [{ duration: 20, max_segment_duration: 2 }, null],
  ])('tell which crossfades are shorter than requested (%o)', (options, sentence) => {
    const { warnings, segments } = selectSegments(analysis, options);
    const told = warnings.find(({ code }) => code === 'crossfade-shortened')?.detail;
    if (sentence === null) expect(told).toBeUndefined();
    else expect(told).toMatch(sentence);
    if (told === undefined) return;
    // The facts are those of the rendered preview.
    const { parts } = planPreview({ segments, frameTimes: [...analysis.frameTimes], rate: { numerator: 25, denominator: 1 }, crossfade: options.crossfade! });
    const fades = parts.slice(1).filter(({ continuesBefore }) => !continuesBefore).map(({ overlapBefore }) => overlapBefore / 25);
    const [, short, all, least] = /^(\d+) of (\d+) .* with ([\d.]+) s/.exec(told)!.map(Number);
    expect([short, all]).toEqual([fades.filter((fade) => fade < options.crossfade!).length, fades.length]);
    expect(Math.abs(least! - Math.min(...fades))).toBeLessThan(0.1);
  });

  it('sort by importance when told', () => {
    const scores = selectSegments(analysis, { duration: 20, order: 'importance' }).segments.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('leave nothing: the problem says so', () => {
    expect(() => selectSegments(analysis, { duration: 10, exclude_ranges: [{ start: 0, end: duration - 0.5 }] })).toThrow(/leave no part of the video/);
  });

  it('say so where speech without a pause leaves no place to cut', () => {
    const talking = testAnalysis([{ seconds: 40, look: 1 }]);
    const sound = { ...talking.sound!, speech: talking.sound!.speech.map(() => 0.9), loudness: talking.sound!.loudness.map(() => -20) };
    const { warnings } = selectSegments({ ...talking, sound }, { duration: 10 });
    expect(warnings.map(({ code }) => code)).toEqual(['speech-cut']);
    expect(warnings[0]!.detail).toMatch(/^Sound that resembles speech has no pause near \d+\.\d s/);
    expect(selectSegments({ ...talking, sound }, { duration: 10, keep_speech_whole: false }).warnings).toEqual([]);
  });

  it('a warning of a video of a minute or more names times as the report does', () => {
    const talking = testAnalysis([{ seconds: 150, look: 1 }]);
    const sound = { ...talking.sound!, speech: talking.sound!.speech.map(() => 0.9), loudness: talking.sound!.loudness.map(() => -20) };
    const { warnings } = selectSegments({ ...talking, sound }, { duration: 10 });
    expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringMatching(/no pause near \d:\d\d\.\d/)]);
  });

  it('keep segments out of a transition', () => {
    const fading = testAnalysis(scenes);
    const cut = fading.transitions[1]!.start;
    const transitions = fading.transitions.map((transition, index) => (index === 1 ? { ...transition, kind: 'dissolve' as const, start: cut - 0.4, end: cut + 0.4 } : transition));
    const shots = fading.shots.map((shot, index) => ({ start: index === 2 ? cut + 0.4 : shot.start, end: index === 1 ? cut - 0.4 : shot.end }));
    const changed = { ...fading, transitions, shots };
    const inside = [...timelineOf(changed).boundaries.times].filter((time) => time > cut - 0.4 + 1e-6 && time < cut + 0.4 - 1e-6);
    expect(inside).toEqual([]);
  });
});
