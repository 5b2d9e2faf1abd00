import { describe, expect, it } from 'vitest';
import type { Analysis } from '../analysis/analysis.ts';
import { permission } from '../analysis/timeline.ts';
import { selectSegments } from '../selection/selectSegments.ts';
import { withWholeFades } from '../shots/wholeFades.ts';
import { faded, keepPictures, testAnalysis } from '../testing/testAnalysis.ts';
import { listBoundaries } from './listBoundaries.ts';

const scenes = [{ seconds: 12, look: 1, motion: 5 }, { seconds: 12, look: 2 }, { seconds: 12, look: 3, motion: 5 }];

/** Times between `from` and `to` at which a segment may start or end although the preview has other ways to its length. */
function placesOf(analysis: Analysis, kind: 'starts' | 'ends', from: number, to: number): number[] {
  const boundaries = listBoundaries(analysis);
  return [...boundaries.times].filter((time, index) => time >= from - 1e-6 && time <= to + 1e-6 && boundaries[kind][index] === permission.always);
}

describe('pictures of one colour', () => {
  const black = faded(testAnalysis(scenes), (time) => Math.min(1, time / 4, (36 - time) / 4));
  const violet = faded(testAnalysis(scenes), (time) => (time < 1.1 || time > 34.9 ? 0.05 : 1), 90);

  it('start and end no segment where a picture is right behind or before them', () => {
    for (const analysis of [black, violet]) {
      expect(placesOf(analysis, 'starts', 0, 0.35)).toEqual([]);
      expect(placesOf(analysis, 'ends', 35.65, 36)).toEqual([]);
      expect(placesOf(analysis, 'starts', 1, 2.5)).not.toEqual([]);
      expect(placesOf(analysis, 'ends', 33.5, 35)).not.toEqual([]);
      const [first] = selectSegments(analysis, { duration: 18 }).segments;
      expect(first!.start).toBeGreaterThan(0.35);
    }
  });

  it('are a scene if they last, and are no blink of a few pictures, and no night with lights', () => {
    const long = faded(testAnalysis(scenes), (time) => (time < 5 ? 0.05 : 1), 90);
    const blink = faded(testAnalysis(scenes), (time) => (time < 0.1 ? 0.05 : 1), 90);
    const night = { ...violet, frames: { ...violet.frames, sharpness: violet.frames.sharpness.map(() => 12) } };
    for (const analysis of [long, blink, night]) expect(placesOf(analysis, 'starts', 0, 0.1)).toEqual([0]);
  });
});

describe('pictures of one colour of which key frames alone are known', () => {
  it('move no boundary, because the picture may be anywhere between them', () => {
    const plain = testAnalysis(scenes);
    const keys = ({ frames, ...rest }: Analysis): Analysis => ({ ...rest, frames: keepPictures(frames, (time) => Math.abs(time / 2 - Math.round(time / 2)) < 1e-6) });
    const violet = faded(plain, (time) => (time < 1.1 ? 0.05 : 1), 90);
    expect(listBoundaries(keys(violet))).toEqual(listBoundaries(keys(plain)));
    expect(placesOf(keys(plain), 'starts', 1, 11)).toEqual(placesOf(plain, 'starts', 1, 11));
  });
});

describe('fades of which a part alone was found', () => {
  // A fade from 10.0 to 14.0 s, of which 11.6 to 12.4 s were found.
  const plain = testAnalysis(scenes);
  const fadeOver = (colour: number): Analysis => faded({
    ...plain, shots: [{ start: 0, end: 11.6 }, { start: 12.4, end: 24 }, { start: 24, end: 36 }],
    transitions: [{ kind: 'fade', start: 11.6, end: 12.4, confidence: 1 }, ...plain.transitions.filter(({ start }) => start > 13)],
  }, (time) => Math.min(1, Math.max(0.1, Math.abs(time - 12) / 2)), colour);

  it.each([['black', 16], ['white', 235]])('have no boundary in their whole course through %s, and segments start and end at them as at a cut', (_, colour) => {
    const fade = withWholeFades(fadeOver(colour), fadeOver(colour).frames);
    const { times } = listBoundaries(fade);
    expect([...times].filter((time) => time > 10.05 && time < 13.95)).toEqual([]);
    expect(placesOf(fade, 'starts', 9.05, 13.9)).toEqual([]);
    expect(placesOf(fade, 'ends', 10.05, 14.95)).toEqual([]);
    expect(placesOf(fade, 'ends', 9.95, 10.05)).toHaveLength(1);
    expect(placesOf(fade, 'starts', 13.95, 14.05)).toHaveLength(1);
  });

  it('are no pan to a darker place without a transition', () => {
    const pan = faded(plain, (time) => 1 - 0.9 * Math.exp(-((time - 18) ** 2)));
    expect(placesOf(withWholeFades(pan, pan.frames), 'starts', 15, 21)).toEqual(placesOf(plain, 'starts', 15, 21));
  });
});
