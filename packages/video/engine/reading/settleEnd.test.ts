import { unspecifiedColour } from '../media/colour.ts';
import { expect, it } from 'vitest';
import type { MediaInfo, PacketIndex } from '../media/mediaInfo.ts';
import { settleEnd } from './settleEnd.ts';

const info = (duration: number): MediaInfo => ({
  container: 'matroska', bytes: 1000, start: 0, duration, audio: null, subtitles: [],
  video: {
    stream: 0, codec: 'h264', width: 160, height: 90, rotation: 0, frameRate: { numerator: 25, denominator: 1 }, variableFrameRate: false,
    pixelFormat: 'yuv420p', bitDepth: 8, colour: unspecifiedColour, highDynamicRange: false,
  },
});

function packets(...times: number[]): PacketIndex {
  return { times: Float64Array.from(times), sizes: new Uint32Array(times.length).fill(9), keys: new Uint8Array(times.length).fill(1) };
}

const even = (count: number): number[] => Array.from({ length: count }, (_, n) => n / 25);

it('a file that ends about where it says stays as it is', () => {
  for (const duration of [3.9, 4, 4.1, 5.9]) {
    expect(settleEnd(info(duration), packets(...even(100)))).toEqual({ info: info(duration), packets: packets(...even(100)), warnings: [] });
  }
});

it('a file that was cut off ends with its pictures, and it is said', () => {
  const { info: settled, warnings } = settleEnd(info(60), packets(...even(100)));
  expect(settled.duration).toBeCloseTo(4, 6);
  expect(warnings).toEqual([{ code: 'ends-early', detail: expect.stringContaining('announces 1:00.0, but the frames end at 0:04.0') as string }]);
});

it('the last of pictures that are shown for long may be shown for long', () => {
  expect(settleEnd(info(60), packets(0, 10, 20, 35)).warnings).toEqual([]);
});

it('a time that nobody can believe is left out', () => {
  expect([...settleEnd(info(4), packets(...even(100), 1e9)).packets.times]).toEqual(even(100));
});
