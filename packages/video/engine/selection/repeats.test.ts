import { describe, expect, it } from 'vitest';
import { testAnalysis, type TestScene } from '../testing/testAnalysis.ts';
import { lengthOf, overlapOf, type Range } from './range.ts';
import { selectSegments, timelineOf } from './selectSegments.ts';

describe('a scene that the video shows several times', () => {
  const part: TestScene[] = [
    { seconds: 6, look: 1 },
    { seconds: 9, look: 2, event: { at: 3, seconds: 3, loudness: -10 } },
    { seconds: 7, look: 3, motion: 3 },
    { seconds: 8, look: 4, loudness: -30 },
  ];
  const looped = testAnalysis([...part, ...part, ...part, ...part]);
  const inPart = (range: Range): Range => ({ start: range.start % 30, end: range.start % 30 + range.end - range.start });

  it.each([0.05, 0.5, 1])('is in the preview once, and its reason lists the other times (diversity %s)', (diversity) => {
    const { segments, warnings } = selectSegments(looped, { duration: 15, diversity });
    for (const [index, segment] of segments.entries()) {
      for (const before of segments.slice(0, index)) expect(overlapOf(inPart(before), inPart(segment)), `${before.start} and ${segment.start}`).toBeLessThan(0.7);
      const again = segment.reasons.find(({ kind }) => kind === 'repeat');
      expect(again).toMatchObject({ share: 0, shown: 1 });
      const also = again !== undefined && 'also' in again ? again.also : [];
      expect(also.map((time) => Math.round(Math.abs(time - segment.start) / 30))).toHaveLength(3);
      for (const time of also) expect(Math.abs(time - segment.start) / 30).toBeCloseTo(Math.round(Math.abs(time - segment.start) / 30), 1);
    }
    expect(warnings).toEqual([]);
  });

  it('is called the same scene where the preview leaves a copy out', () => {
    const { rejected } = selectSegments(looped, { duration: 6 });
    expect(rejected.filter(({ detail }) => /shows the same scene as \d:[\d.]+–\d:[\d.]+, which is in the preview\.$/.test(detail)).length).toBeGreaterThanOrEqual(3);
  });

  it('appears again, with a warning, only where the different scenes do not fill the preview', () => {
    const { segments, warnings } = selectSegments(looped, { duration: 60 });
    expect(Math.abs(lengthOf(segments) - 60)).toBeLessThanOrEqual(0.5);
    expect(warnings.map(({ code }) => code)).toEqual(['repeated-scenes']);
  });

  it('is called shown twice by both segments, though they start at different places of the scene', () => {
    const film = testAnalysis([{ seconds: 10, look: 1, loudness: -30 }, { seconds: 10, look: 2 }, { seconds: 10, look: 1, loudness: -30 }, { seconds: 20, look: 3 }]);
    const { segments } = selectSegments(film, { duration: 12, include_ranges: [{ start: 0, end: 6 }, { start: 23, end: 29 }] });
    expect(segments.map(({ reasons }) => reasons.find(({ kind }) => kind === 'repeat'))).toMatchObject([{ shown: 2, also: [20] }, { shown: 2, also: [expect.closeTo(3, 1)] }]);
  });

  it('is not named as a reason of a segment that mostly shows other scenes, unless the preview shows it again', () => {
    const film = testAnalysis([{ seconds: 2, look: 1, loudness: -30 }, { seconds: 10, look: 2 }, { seconds: 10, look: 3 }, { seconds: 2, look: 1, loudness: -30 }, { seconds: 20, look: 4 }]);
    const reasonsOf = (include: readonly Range[]) => selectSegments(film, { duration: 14, include_ranges: [...include] }).segments.map(({ reasons }) => reasons.find(({ kind }) => kind === 'repeat'));
    expect(reasonsOf([{ start: 13, end: 27 }])).toEqual([undefined]);
    expect(reasonsOf([{ start: 0, end: 4 }, { start: 17, end: 27 }])).toMatchObject([{ shown: 2 }, { shown: 2, also: [expect.closeTo(0, 1)] }]);
  });

  it('is another scene where other words are spoken or something else moves', () => {
    const place = (event: TestScene['event']): TestScene => ({ seconds: 8, look: 1, event });
    const other = testAnalysis([place({ at: 2, seconds: 2, loudness: -12 }), { seconds: 8, look: 2 }, place({ at: 5, seconds: 2, loudness: -12 })]);
    expect([...timelineOf(other).repeats]).toEqual([0, 0, 0]);
  });
});
