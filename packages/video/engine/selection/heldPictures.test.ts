import { expect, it } from 'vitest';
import type { Analysis } from '../analysis/analysis.ts';
import { planPreview } from '../render/previewPlan.ts';
import { bestMoment } from '../render/takePictures.ts';
import { choosePosters } from '../render/choosePosters.ts';
import { testAnalysis } from '../testing/testAnalysis.ts';
import { previewLength } from './range.ts';
import { selectSegments } from './selectSegments.ts';

/** Twelve slides, each stored as one frame that is shown for 20 s, while someone speaks with pauses. */
function slides(): Analysis {
  const whole = testAnalysis(Array.from({ length: 12 }, (_, look) => ({ seconds: 20, look, talk: true })));
  const first = <Values extends Float32Array | Float64Array | Uint32Array>(values: Values): Values => values.filter((_, index) => index % 500 === 0) as Values;
  const { layouts, ...columns } = whole.frames;
  const frames = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, first(values)])) as typeof columns;
  return { ...whole, frameTimes: first(whole.frameTimes), frameSizes: first(whole.frameSizes), frames: { ...frames, layouts } };
}

it('slides that are shown for longer than the longest segment give a preview of the requested length', () => {
  const analysis = slides();
  const { segments, warnings } = selectSegments(analysis, { duration: 30 });
  expect(Math.abs(previewLength(segments, 0) - 30)).toBeLessThanOrEqual(0.5);
  expect(warnings).toEqual([]);
  const { pieces } = planPreview({ segments, frameTimes: analysis.frameTimes, rate: { numerator: 25, denominator: 1 }, crossfade: 0.4 });
  for (const { from, shown, into } of pieces) {
    for (const start of [{ from, shown }, ...(into === undefined ? [] : [into])]) expect(start.shown ?? start.from).toBe(20 * Math.floor(start.from / 20 + 1e-9));
  }
  const shows = (time: number, { start, end }: { start: number; end: number }): boolean => time % 20 === 0 && time < end && time + 20 > start;
  for (const segment of segments) expect(shows(bestMoment(analysis, segment), segment)).toBe(true);
  for (const { segment, time, quality } of choosePosters(analysis, segments)) {
    expect(shows(time, segments[segment]!)).toBe(true);
    expect(quality).toBeGreaterThan(0.5);
  }
});

it('included and excluded ranges are exact to a tenth of a second within a slide', () => {
  const { segments } = selectSegments(slides(), { duration: 10, include_ranges: [{ start: 32.25, end: 36 }] });
  const included = segments.find(({ reasons }) => reasons.some(({ kind }) => kind === 'included'))!;
  expect(included.start).toBeCloseTo(32.2, 6);
  expect(included.end).toBeLessThan(36.11);
  const rest = selectSegments(slides(), { duration: 240, exclude_ranges: [{ start: 5, end: 26 }] });
  expect(rest.segments.map(({ start, end }) => [Math.round(10 * start) / 10, Math.round(10 * end) / 10])).toEqual([[0, 5], [26, 240]]);
});
