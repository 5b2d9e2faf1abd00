import { describe, expect, it } from 'vitest';
import type { PacketIndex } from '../media/mediaInfo.ts';
import { PictureMeter, type Measured } from '../pictures/pictureMeter.ts';
import { detectFromKeys } from './detectFromKeys.ts';
import { paintPicture } from '../testing/paintPictures.ts';

const rate = 25;

/** A packet index of 300 frames: key frames are large, every third other frame has half the usual size, and some are huge. */
function packets(keys: readonly number[], huge: readonly number[]): PacketIndex {
  const numbers = Array.from({ length: 300 }, (_, number) => number);
  return {
    times: Float64Array.from(numbers, (number) => number / rate),
    sizes: Uint32Array.from(numbers, (number) => (keys.includes(number) ? 9000 : huge.includes(number) ? 8000 : number % 3 === 0 ? 1000 : 400)),
    keys: Uint8Array.from(numbers, (number) => (keys.includes(number) ? 1 : 0)),
  };
}

/** Measures key frames; each seed selects the scene that the key frame shows. */
function keyFrames(keys: readonly number[], seeds: readonly number[]): Measured {
  const meter = new PictureMeter();
  keys.forEach((number, place) => meter.add({ time: number / rate, data: paintPicture({ seed: seeds[place]! }, 0) }));
  return meter.finish();
}

const cutsOf = (keys: readonly number[], seeds: readonly number[], huge: readonly number[]): number[] =>
  detectFromKeys(keyFrames(keys, seeds), packets(keys, huge), 12).transitions.map(({ start }) => Math.round(start * rate));

describe('cuts known from key frames and packet sizes', () => {
  it('lie at key frames that come before their time', () => {
    expect(cutsOf([0, 110, 180, 290], [1, 1, 2, 3], [])).toEqual([180]);
  });

  it('lie at the large packet where key frames come at a fixed distance', () => {
    expect(cutsOf([0, 50, 100, 150, 200, 250], [1, 1, 2, 2, 2, 3], [73, 231])).toEqual([73, 231]);
  });

  it('are not seen where the pictures on both sides are of one scene, nor without any sign between them', () => {
    expect(cutsOf([0, 50, 100, 150, 200, 250], [1, 1, 1, 1, 2, 2], [73])).toEqual([]);
  });

  it('divide the video into shots', () => {
    const { shots } = detectFromKeys(keyFrames([0, 50, 100], [1, 1, 2]), packets([0, 50, 100], [73]), 12);
    expect(shots).toEqual([{ start: 0, end: 73 / rate }, { start: 73 / rate, end: 12 }]);
  });
});
