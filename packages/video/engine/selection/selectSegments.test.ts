import { describe, expect, it } from 'vitest';
import { lengthOf, overlapOf } from './range.ts';
import { selectSegments } from './selectSegments.ts';
import { testAnalysis, type TestScene } from './testAnalysis.ts';

/** Two minutes: four places that come again and again, a loud and a moving moment, black at the beginning. */
const scenes: TestScene[] = [
  { seconds: 4, look: 0, black: true },
  { seconds: 12, look: 1 },
  { seconds: 14, look: 2, event: { at: 6, seconds: 3, motion: 12 } },
  { seconds: 12, look: 3 },
  { seconds: 15, look: 1, event: { at: 7, seconds: 3, loudness: -12 } },
  { seconds: 13, look: 4, talk: true },
  { seconds: 12, look: 2 },
  { seconds: 18, look: 3 },
  { seconds: 20, look: 1 },
];
const loudMoment = { start: 49, end: 52 };
const movingMoment = { start: 22, end: 25 };

describe('selectSegments', () => {
  const analysis = testAnalysis(scenes);

  it('shows the loud and the moving moment, and no black', () => {
    const { segments } = selectSegments(analysis, { duration: 20 });
    const shown = (range: { start: number; end: number }): number => segments.reduce((sum, segment) => sum + overlapOf(segment, range), 0);
    expect(shown(loudMoment)).toBeGreaterThan(2);
    expect(shown(movingMoment)).toBeGreaterThan(2);
    expect(shown({ start: 0, end: 4 })).toBe(0);
  });

  it('meets the wished length', () => {
    for (const duration of [5, 10, 20, 30, 45]) {
      const length = lengthOf(selectSegments(analysis, { duration }).segments);
      expect(Math.abs(length - duration), `${duration} s wished, ${length} s chosen`).toBeLessThanOrEqual(0.5);
    }
  });
});
