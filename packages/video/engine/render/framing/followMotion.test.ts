import { describe, expect, it } from 'vitest';
import { analysisWidth } from '../../pictures/frameTrack.ts';
import type { Face } from '../../faces/findFaces.ts';
import type { Transition } from '../../shots/shot.ts';
import { paintPicture } from '../../testing/paintPictures.ts';
import { followMotion, positionAt } from './followMotion.ts';
import { listShapes } from './frameShape.ts';
import type { SalientSegment } from './measureSaliency.ts';
import { maxSpeed } from './planCrop.ts';
import { SaliencyMeter } from './saliencyMeter.ts';

const tall = listShapes({ width: 960, height: 540 }, { aspect_ratios: ['9:16'] })[0]!;
const share = tall.size.width / tall.scaled.width;
const perSecond = 25;

/** Paints a scene in which a checkered square moves; `at` is the horizontal position of its middle over time, 0–1. */
function measure(seconds: number, at: (time: number) => number | null, scene: { seed?: number; pan?: number; noise?: number; start?: number } = {}, transitions: readonly Transition[] = []): SalientSegment {
  const meter = new SaliencyMeter();
  const { start = 0, seed = 3, ...look } = scene;
  for (let n = 0; n < seconds * perSecond; n++) {
    const picture = paintPicture({ seed: seed + transitions.filter((cut) => cut.start <= start + n / perSecond + 1e-6).length, ...look }, n);
    const middle = at(n / perSecond);
    if (middle !== null) paintSquare(picture, Math.round(middle * analysisWidth), n);
    meter.add(start + n / perSecond, picture);
  }
  return { start, end: start + seconds, samples: meter.finish(), faces: [], transitions };
}

function paintSquare(picture: Uint8Array, middle: number, n: number): void {
  for (let y = 20; y < 36; y++) {
    for (let x = Math.max(0, middle - 6); x < Math.min(analysisWidth, middle + 6); x++) picture[y * analysisWidth + x] = ((x - middle >> 2) + (y >> 2) + (n >> 3)) & 1 ? 225 : 25;
  }
}

/** Positions of the middle of the crop in the picture, 0–1, at each frame. */
function middles(segment: SalientSegment): number[] {
  const track = followMotion([segment], tall);
  return Array.from({ length: Math.round((segment.end - segment.start) * perSecond) }, (_, n) => share / 2 + (1 - share) * positionAt(track, segment.start + n / perSecond));
}

/** Largest speed and largest change of speed of the crop, pictures per second (per frame). */
function movement(values: readonly number[]): { speed: number; jerk: number } {
  const speeds = values.slice(1).map((value, at) => (value - values[at]!) * perSecond);
  return { speed: Math.max(...speeds.map(Math.abs)), jerk: Math.max(...speeds.slice(1).map((speed, at) => Math.abs(speed - speeds[at]!))) };
}

describe('a crop', () => {
  it('keeps an object that crosses the picture inside, moves smoothly, and within its speed', () => {
    const at = (time: number): number => 0.12 + 0.76 * (time / 8);
    const found = middles(measure(8, at));
    const inside = found.filter((middle, n) => Math.abs(middle - Math.max(share / 2, Math.min(1 - share / 2, at(n / perSecond)))) < share / 2);
    expect(inside.length / found.length).toBeGreaterThan(0.97);
    const { speed, jerk } = movement(found);
    expect(speed).toBeGreaterThan(0.02);
    expect(speed).toBeLessThanOrEqual(maxSpeed);
    expect(jerk).toBeLessThan(0.05);
  });

  it('shows a face rather than something that moves beside it, and the motion where no face is', () => {
    const segment = measure(4, (time) => 0.8 + 0.02 * Math.sin(6 * time));
    const face = { left: 0.1, top: 0.3, width: 0.15, height: 0.4, score: 0.9 };
    const faces = [0, 1, 2, 3].map((time) => ({ time, faces: [face] }));
    const track = followMotion([{ ...segment, faces }], tall);
    expect(track.facesShare).toBe(1);
    expect(track.motionShare).toBeLessThan(0.2);
    const without = followMotion([{ ...segment, faces: faces.map(({ time }) => ({ time, faces: [] })) }], tall);
    expect(without.facesShare).toBeNull();
    expect(without.motionShare).toBeGreaterThan(0.9);
  });

  describe('of faces that it cannot show as a whole', () => {
    const face = (left: number, width: number): Face => ({ left, top: 0.2, width, height: 0.5, score: 0.9 });
    /** The part of the picture that the crop shows over a shot with these faces at each second, while a square moves at `square`. */
    const shownOf = (square: number, ...faces: readonly (readonly Face[])[]): { from: number; to: number }[] => {
      const segment = measure(4, (time) => square + 0.02 * Math.sin(6 * time));
      const samples = faces.map((each, time) => ({ time, faces: each }));
      const track = followMotion([{ ...segment, faces: samples }], tall);
      return samples.map(({ time }) => ({ from: positionAt(track, time) * (1 - share), to: positionAt(track, time) * (1 - share) + share }));
    };
    const always = (...faces: readonly Face[]): readonly (readonly Face[])[] => Array.from({ length: 4 }, () => faces);

    it('shows the middle of a face that is wider than the crop, where the eyes are', () => {
      for (const { from, to } of shownOf(0.75, ...always(face(0.3, 0.5)))) expect(Math.abs((from + to) / 2 - 0.55)).toBeLessThan(0.04);
    });

    it('shows the larger one of two faces, rather than a part of each', () => {
      for (const { from, to } of shownOf(0.4, ...always(face(0.08, 0.22), face(0.42, 0.28)))) {
        expect(from).toBeLessThanOrEqual(0.42);
        expect(to).toBeGreaterThanOrEqual(0.7);
      }
    });

    it('shows the one that is there more often', () => {
      for (const { from, to } of shownOf(0.5, [face(0.1, 0.2)], [face(0.1, 0.2), face(0.6, 0.25)], [face(0.1, 0.2)], [face(0.1, 0.2)])) {
        expect(from).toBeLessThanOrEqual(0.1);
        expect(to).toBeGreaterThanOrEqual(0.3);
      }
    });

    it('shows both of two faces where they fit', () => {
      for (const { from, to } of shownOf(0.8, ...always(face(0.3, 0.12), face(0.45, 0.12)))) {
        expect(from).toBeLessThanOrEqual(0.3);
        expect(to).toBeGreaterThanOrEqual(0.57);
      }
    });
  });

  it('rests on an object that moves in one place, without panning for noise', () => {
    const found = middles(measure(5, (time) => 0.75 + 0.01 * Math.sin(12 * time), { noise: 5 }));
    expect(movement(found).speed).toBe(0);
    expect(Math.abs(found[0]! - 0.75)).toBeLessThan(share / 4);
  });

  it('follows what moves against the motion of the camera', () => {
    const found = middles(measure(5, (time) => 0.8 - 0.02 * time, { pan: 1 }));
    expect(found.filter((middle, n) => Math.abs(middle - (0.8 - (0.02 * n) / perSecond)) < share / 2).length / found.length).toBe(1);
  });

  it('stays near the middle where nothing moves', () => {
    const found = middles(measure(4, () => null, { noise: 3 }));
    expect(movement(found).speed).toBe(0);
    expect(Math.abs(found[0]! - 0.5)).toBeLessThan(0.2);
  });

  it('jumps exactly at a cut and nowhere else', () => {
    const cut = { kind: 'cut', start: 12, end: 12, confidence: 1 } as const;
    const found = middles(measure(4, (time) => (time < 2 ? 0.2 : 0.8) + 0.01 * Math.sin(12 * time), { start: 10 }, [cut]));
    expect(new Set(found.slice(0, 50)).size).toBe(1);
    expect(new Set(found.slice(50)).size).toBe(1);
    expect(Math.abs(found[49]! - 0.2)).toBeLessThan(share / 2);
    expect(Math.abs(found[50]! - 0.8)).toBeLessThan(share / 2);
  });

  it('does not pan in a short shot', () => {
    expect(movement(middles(measure(1, (time) => 0.2 + 0.6 * time))).speed).toBe(0);
  });

  it('knows how much of the motion it shows', () => {
    const shown = followMotion([measure(4, (time) => 0.7 + 0.01 * Math.sin(12 * time))], tall).motionShare!;
    expect(shown).toBeGreaterThan(0.95);
    expect(followMotion([measure(2, () => null)], tall).motionShare).toBeNull();
  });

  it('moves up and down in a tall picture', () => {
    const low = listShapes({ width: 540, height: 960 }, { aspect_ratios: ['16:9'] })[0]!;
    const segment = measure(3, (time) => 0.5 + 0.02 * Math.sin(12 * time));
    const position = positionAt(followMotion([segment], low), 1.5);
    const middle = low.size.height / low.scaled.height / 2 + (1 - low.size.height / low.scaled.height) * position;
    // The square is at rows 20 to 36 of 54.
    expect(Math.abs(middle - 28 / 54)).toBeLessThan(0.1);
  });
});
