import { describe, expect, it } from 'vitest';
import { dissolve, mixPictures, paintEven, paintPicture, paintScene } from '../testing/paintPictures.ts';
import { analysisWidth, layoutLength } from './frameTrack.ts';
import { PictureMeter, type Measured } from './pictureMeter.ts';
import { measurePictures } from './measurePictures.ts';

function measure(pictures: readonly Uint8Array[], timeOf = (number: number): number => number / 25): Measured {
  const meter = new PictureMeter();
  pictures.forEach((data, number) => meter.add({ time: timeOf(number), data }));
  return meter.finish();
}

describe('measured pictures', () => {
  it('have one value per picture in each column, and none without pictures', () => {
    for (const count of [0, 1, 1030]) {
      const picture = paintEven(90);
      const { frames, changes } = measure(Array.from({ length: count }, () => picture));
      const columns = [frames.times, frames.difference, frames.residual, frames.pan, frames.brightness, frames.contrast, frames.saturation, frames.detail, frames.sharpness];
      for (const column of [...columns, changes.chroma, changes.histogram, ...changes.resemblance]) expect(column.length).toBe(count);
    }
  });

  it('know light, structure and colour', () => {
    const even = measure([paintEven(200)]).frames;
    expect([even.brightness[0], even.contrast[0], even.detail[0], even.saturation[0]]).toEqual([200, 0, 0, 0]);
    const coloured = paintEven(100).fill(100, analysisWidth * 54);
    expect(measure([coloured]).frames.saturation[0]).toBe(28);
    const painted = measure([paintPicture({ seed: 3 }, 0)]).frames;
    expect(painted.contrast[0]).toBeGreaterThan(10);
    expect(painted.detail[0]).toBeGreaterThan(1);
  });

  it('are sharp if any edge in them is, whatever their light, and whatever black bars are around them', () => {
    const sharp = [paintPicture({ seed: 3, size: 1 }, 0), mixPictures(paintEven(16), paintPicture({ seed: 3, size: 1 }, 0), 0.2), paintPicture({ seed: 3, size: 1, bars: 8 }, 0)];
    const soft = [paintPicture({ seed: 3, size: 24 }, 0), mixPictures(paintEven(16), paintPicture({ seed: 3, size: 24 }, 0), 0.2), paintPicture({ seed: 3, size: 24, bars: 8 }, 0)];
    const { sharpness } = measure([...sharp, ...soft]).frames;
    for (const value of sharpness.subarray(0, 3)) expect(value).toBeGreaterThan(1.3);
    for (const value of sharpness.subarray(3)) expect(value).toBeLessThan(0.95);
  });

  it('explain a pan by motion, and say how fast it is in picture widths a second', () => {
    const { frames } = measure(paintScene({ seed: 5, pan: 4 }, 10));
    for (let place = 1; place < 10; place++) {
      expect(frames.pan[place]).toBeCloseTo((4 / analysisWidth) * 25, 5);
      expect(frames.residual[place]!).toBeLessThan(frames.difference[place]! / 3);
    }
  });

  it('do not take a cut for motion', () => {
    const { frames, changes } = measure([...paintScene({ seed: 6 }, 3), ...paintScene({ seed: 7 }, 3)]);
    expect(frames.residual[3]!).toBeGreaterThan(10);
    expect(changes.resemblance[0]![3]!).toBeLessThan(0.5);
    expect(changes.resemblance[0]![4]!).toBeCloseTo(1, 5);
  });

  it('compare only what lies inside black bars', () => {
    const one = paintPicture({ seed: 8, bars: 16 }, 0);
    const other = paintPicture({ seed: 9, bars: 16 }, 0);
    // The bars alone would correlate at about 0.8.
    expect(measure([one, other]).changes.resemblance[0]![1]!).toBeLessThan(0.5);
  });

  it('hold a layout for each half second, of the last picture that is not after it', () => {
    const pictures = [40, 80, 120, 160].map(paintEven);
    const times = [0.2, 0.5, 0.9, 1.6];
    const { frames } = measure(pictures, (number) => times[number]!);
    expect(frames.layouts.length).toBe(4 * layoutLength);
    expect([0, 1, 2, 3].map((place) => frames.layouts[place * layoutLength])).toEqual([40, 80, 120, 120]);
    expect(frames.layouts[layoutLength - 1]).toBe(128);
  });

  it('leave out pictures that do not come later', () => {
    const times = [0, 0.04, 0.04, 0.02, 0.08, Number.NaN];
    const { frames } = measure(paintScene({ seed: 10 }, times.length), (number) => times[number]!);
    expect([...frames.times]).toEqual([0, 0.04, 0.08]);
  });

  it('find a dissolve as a ramp that a mixture explains', () => {
    const out = paintScene({ seed: 11 }, 30);
    const into = paintScene({ seed: 12 }, 30);
    const { ramps } = measure([...out, ...dissolve(out.slice(0, 14), into), ...into]).changes;
    expect(ramps.length).toBe(1);
    expect(ramps[0]!.rest).toBeLessThan(0.01);
    expect(Math.abs(ramps[0]!.from - 29)).toBeLessThanOrEqual(1);
    expect(Math.abs(ramps[0]!.to - 44)).toBeLessThanOrEqual(1);
  });

  it('are the same for the same pictures, however they arrive', async () => {
    const pictures = paintScene({ seed: 13, pan: 2, noise: 5 }, 40).map((data, number) => ({ time: number / 30, data }));
    const meter = new PictureMeter();
    for (const picture of pictures) meter.add(picture);
    async function* stream(): AsyncGenerator<(typeof pictures)[number]> {
      yield* pictures;
    }
    expect(await measurePictures(stream())).toEqual(meter.finish());
  });

  it('refuse pictures of another size by name', () => {
    const meter = new PictureMeter();
    expect(() => meter.add({ time: 0, data: new Uint8Array(100) })).toThrow('a picture has 100 bytes; 96 × 54 yuv420p has 7776');
  });

  it('see through a flash', () => {
    const pictures = paintScene({ seed: 14 }, 10);
    pictures[5] = mixPictures(pictures[5]!, paintEven(235), 0.9);
    const { changes } = measure(pictures);
    expect(changes.resemblance[1]![6]!).toBeCloseTo(1, 5);
  });
});
