import { describe, expect, it } from 'vitest';
import { dissolve, paintScene } from '../testing/paintPictures.ts';
import { layoutLength, layoutStep, type FrameTrack } from './frameTrack.ts';
import { PictureMeter } from './pictureMeter.ts';
import { replaceParts } from './replaceParts.ts';

const rate = 10;
const pictures = dissolve(paintScene({ seed: 41, pan: 1 }, 40), paintScene({ seed: 42 }, 40));

/** Measures the pictures whose number is chosen. */
function measure(chosen: (number: number) => boolean): FrameTrack {
  const meter = new PictureMeter();
  for (const [number, data] of pictures.entries()) if (chosen(number)) meter.add({ time: number / rate, data });
  return meter.finish().frames;
}

const few = measure((number) => number % 10 === 0);
const all = measure(() => true);
const part = { from: 1, to: 1.8, frames: measure((number) => number >= 10 && number < 18) };
const late = { from: 3.5, to: 4, frames: measure((number) => number >= 35) };

describe('a track in which parts are replaced', () => {
  const replaced = replaceParts(few, [part, late]);
  const rowOf = ({ layouts }: FrameTrack, time: number): Uint8Array => layouts.slice((time / layoutStep) * layoutLength, (time / layoutStep + 1) * layoutLength);

  it('has all pictures of the parts and the few pictures of the rest', () => {
    expect([...replaced.times].map((time) => Math.round(time * rate))).toEqual([0, 10, 11, 12, 13, 14, 15, 16, 17, 20, 30, 35, 36, 37, 38, 39]);
  });

  it('compares each picture of a part with the picture before, but the first one with the previous picture of the track', () => {
    const at = (track: FrameTrack, number: number): number => track.difference[track.times.findIndex((time) => Math.abs(time - number / rate) < 1e-6)]!;
    for (const number of [11, 14, 17, 36, 39]) expect(at(replaced, number)).toBe(at(all, number));
    for (const number of [10, 20, 30]) expect(at(replaced, number)).toBe(at(few, number));
    expect(at(few, 10)).toBeGreaterThan(2 * at(all, 10));
  });

  it('has the layouts of the parts at their half seconds, and after its last picture the last layout', () => {
    expect(rowOf(replaced, 1.5)).toEqual(rowOf(all, 1.5));
    expect(rowOf(replaced, 1.5)).not.toEqual(rowOf(few, 1.5));
    expect(rowOf(replaced, 0.5)).toEqual(rowOf(few, 0.5));
    expect(rowOf(replaced, 3.5)).toEqual(rowOf(all, 3.5));
    expect(replaced.layouts.length).toBe(all.layouts.length);
  });

  it('stays the same without parts, or where nothing could be decoded', () => {
    expect(replaceParts(few, [])).toEqual(few);
    expect(replaceParts(few, [{ from: 1, to: 2, frames: new PictureMeter().finish().frames }])).toEqual(few);
    expect(replaceParts(replaced, [part])).toEqual(replaced);
  });
});
