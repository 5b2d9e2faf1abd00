import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PacketIndex } from '../media/mediaInfo.ts';
import { splitAtKeys, type KeyStretch } from './splitAtKeys.ts';

/** 25 packets per second of equal size, with key frames at the given indices. */
function packets(count: number, keys: readonly number[], size: (at: number) => number = () => 100): PacketIndex {
  return {
    times: Float64Array.from({ length: count }, (_, at) => at / 25),
    sizes: Uint32Array.from({ length: count }, (_, at) => size(at)),
    keys: Uint8Array.from({ length: count }, (_, at) => (keys.includes(at) ? 1 : 0)),
  };
}

const every = (step: number, count: number): number[] => Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
const starts = (parts: readonly KeyStretch[]): number[] => parts.slice(1).map(({ from }) => Math.round(from! * 25));

describe('splitting at key frames', () => {
  it('gives each decoder a share of what is left, and none too little', () => {
    const parts = splitAtKeys(packets(1000, every(10, 1000)), { lanes: 2, minShare: 0.1, maxPictures: 10_000 });
    expect(starts(parts)).toEqual([250, 440, 580, 690, 790, 890]);
    expect(parts[0]).toEqual({ to: 10 });
    expect(parts.at(-1)).toEqual({ from: 890 / 25 });
  });

  it('weighs packets by their bytes as well', () => {
    const parts = splitAtKeys(packets(1000, every(10, 1000), (at) => (at < 500 ? 300 : 100)), { lanes: 1, minShare: 0.5, maxPictures: 10_000 });
    // Half of the cost depends on the number of frames, half on their bytes: 0.5 × n / 1000 + 0.5 × 300 n / 200,000 = 0.5.
    expect(starts(parts)).toEqual([400]);
  });

  it('keeps to the most pictures of a part, but never splits between key frames', () => {
    expect(starts(splitAtKeys(packets(1000, every(10, 1000)), { lanes: 1, minShare: 0.01, maxPictures: 100 })).slice(0, 4)).toEqual([100, 200, 300, 400]);
    expect(splitAtKeys(packets(1000, [0]), { lanes: 4, minShare: 0, maxPictures: 10 })).toEqual([{}]);
  });

  it('begins at no key frame with another one right after it', () => {
    expect(starts(splitAtKeys(packets(100, [0, 50, 53, 60]), { lanes: 1, minShare: 0.3, maxPictures: 1000 }))).toEqual([53 + 7]);
  });

  it('is whole whatever the packets are', () => {
    fc.assert(fc.property(
      fc.array(fc.record({ step: fc.double({ min: 1e-3, max: 20, noNaN: true }), size: fc.nat(1e6), key: fc.boolean() }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 2, noNaN: true }), fc.integer({ min: 1, max: 50 }),
      (list, lanes, minShare, maxPictures) => {
        let time = 0;
        const index: PacketIndex = {
          times: Float64Array.from(list, ({ step }) => (time += step)),
          sizes: Uint32Array.from(list, ({ size }) => size), keys: Uint8Array.from(list, ({ key }) => (key ? 1 : 0)),
        };
        const parts = splitAtKeys(index, { lanes, minShare, maxPictures });
        expect(parts[0]!.from).toBeUndefined();
        expect(parts.at(-1)!.to).toBeUndefined();
        for (let at = 1; at < parts.length; at += 1) {
          const from = parts[at]!.from!;
          expect(parts[at - 1]!.to).toBe(from);
          expect(index.keys[index.times.indexOf(from)]).toBe(1);
          expect(from).toBeGreaterThan(parts[at - 1]!.from ?? -1);
        }
      },
    ));
  });
});
