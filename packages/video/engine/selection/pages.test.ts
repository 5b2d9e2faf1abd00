import { describe, expect, it } from 'vitest';
import { testAnalysis, type TestScene } from '../testing/testAnalysis.ts';
import { overlapOf } from './range.ts';
import { selectSegments, timelineOf } from './selectSegments.ts';

/** Slides of the same layout; `page` is what tells them apart. */
const slides = (pages: readonly number[]): TestScene[] => pages.map((page) => ({ seconds: 10, look: 1, page, loudness: -30 }));

describe('slides on one template', () => {
  it('are each a scene that a preview wants to show, also without a cut between them', () => {
    const talk = testAnalysis(slides([1, 2, 3, 4, 5]));
    const uncut = { ...talk, shots: [{ start: 0, end: 50 }], transitions: [] };
    for (const analysis of [talk, uncut]) {
      const { segments } = selectSegments(analysis, { duration: 20, max_segment_duration: 6 });
      const shown = [0, 10, 20, 30, 40].map((start) => segments.some((segment) => overlapOf(segment, { start, end: start + 10 }) >= 1));
      expect(shown).toEqual([true, true, true, true, true]);
    }
  });

  it('divide the pieces where another page begins, not where nothing is still for a moment', () => {
    const talk = testAnalysis(slides([1, 0, 1, 2, 0]));
    const { pieces } = timelineOf({ ...talk, shots: [{ start: 0, end: 50 }], transitions: [] });
    expect([[...pieces.cells], [...pieces.pages]]).toEqual([[0, 60, 100], [1, 2]]);
  });
});
