import { describe, expect, it } from 'vitest';
import { testAnalysis } from '../testing/testAnalysis.ts';
import { SelectedSpans, type Field } from './field.ts';
import { integrate } from './scoreTerms.ts';
import { timelineOf } from './selectSegments.ts';
import { settleOptions } from './settleOptions.ts';

const timeline = timelineOf(testAnalysis([{ seconds: 12, look: 1 }, { seconds: 3, look: 2 }, { seconds: 3, look: 3 }, { seconds: 12, look: 4 }]));
const fieldOf = (importance: number): Field => ({
  timeline, settled: settleOptions({}, 30), importance: integrate(new Float32Array(timeline.cells).fill(importance)), forbidden: [], repeats: null, nearCuts: false,
});
const valueOf = (start: number, end: number, importance: number, shown: readonly [number, number][] = []): number =>
  new SelectedSpans(fieldOf(importance), shown.map(([from, to]) => ({ start: from, end: to, cost: 0 }))).valueOf({ start, end });

describe('the value of a span', () => {
  it('counts each new scene that it shows', () => {
    const [one, two] = [valueOf(2, 8, 0), valueOf(12, 18, 0)];
    expect(two).toBeCloseTo(2 * one, 6);
    expect(valueOf(12, 18, 0, [[12, 14]])).toBeCloseTo(one, 1);
  });

  it('does not count a longer view of one scene as new', () => {
    expect(valueOf(2, 8, 0)).toBeCloseTo(valueOf(2, 4.5, 0), 6);
  });

  it('grows less with importance beyond four seconds, so that two moments are worth more than a long one', () => {
    const important = (start: number, end: number): number => valueOf(start, end, 0.5) - valueOf(start, end, 0);
    expect(important(1, 5)).toBeCloseTo(2 * important(1, 3), 6);
    expect(important(1, 9)).toBeCloseTo(1.5 * important(1, 5), 6);
  });
});
