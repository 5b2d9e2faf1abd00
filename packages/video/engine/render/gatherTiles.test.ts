import { expect, test } from 'vitest';
import type { MediaBackend, Picture, PictureRequest } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { gatherTiles } from './gatherTiles.ts';
import { layStoryboard } from './storyboardGrid.ts';

/** Key frames of a source: time, pixel value, and by how much every second pixel deviates from this value. */
type Key = readonly [time: number, value: number, contrast: number];

async function tilesOf(duration: number, keys: readonly Key[], changes: readonly number[] = []): Promise<{ values: (number | null)[]; asked: PictureRequest[] }> {
  const asked: PictureRequest[] = [];
  const paint = ({ width, height }: PictureRequest, value: number, contrast: number): Uint8Array => {
    const data = new Uint8Array(width * height * 3).fill(value);
    for (let index = 0; index < data.length; index += 2) data[index] = value + contrast;
    return data;
  };
  async function* show(request: PictureRequest): AsyncGenerator<Picture> {
    asked.push(request);
    const { from = 0, to = Infinity } = request;
    if (request.skip === 'none') yield { time: from, data: paint(request, 200, 0) };
    else for (const [time, value, contrast] of keys) if (time >= from && time < to) yield { time, data: paint(request, value, contrast) };
  }
  const info = {
    duration, video: { width: 1920, height: 1080, frameRate: { numerator: 25, denominator: 1 } },
  } as MediaInfo;
  const backend = { pictures: (request: PictureRequest) => Object.assign(show(request), { damaged: () => 0 }) } as unknown as MediaBackend;
  const tiles = await gatherTiles({ backend, source: { path: '', hash: '', info }, signal: new AbortController().signal }, layStoryboard(duration, info.video), () => {}, changes);
  return { values: tiles.map((tile) => tile?.[1] ?? null), asked };
}

test('of the key frames of a stretch the one that shows most is taken, else the one before, else the frame itself', async () => {
  // One picture per 5 s; the first key frame of each interval is in a fade.
  const { values, asked } = await tilesOf(400, [...Array.from({ length: 60 }, (_, step): Key => [step * 5, 10, 1]), ...Array.from({ length: 60 }, (_, step): Key => [step * 5 + 2, step, 30])].sort((a, b) => a[0] - b[0]));
  expect(values.length).toBe(80);
  expect(values.slice(0, 60)).toEqual(Array.from({ length: 60 }, (_, step) => step));
  expect(values[60]).toBe(59);
  expect(values.slice(61)).toEqual(Array.from({ length: 19 }, () => 200));
  expect(asked.filter(({ skip }) => skip === 'none').length).toBe(19);
});

test('a key frame stands for no time behind a cut, which need not have a key frame', async () => {
  // One picture per second, one key frame per 6 s; the second shot starts between two key frames, the third at one.
  const keys = Array.from({ length: 14 }, (_, index): Key => [index * 6, index, 30]);
  const { values, asked } = await tilesOf(80, keys, [2.8, 12]);
  expect(values.length).toBe(80);
  // Times are in the middle of their seconds.
  expect(values.slice(0, 8)).toEqual([0, 0, 0, 200, 200, 200, 1, 1]);
  expect(values.slice(12, 14)).toEqual([2, 2]);
  expect(asked.filter(({ skip }) => skip === 'none').map(({ from }) => Math.round(from!))).toEqual([3, 4, 5].map((second) => Math.round(second + 0.4995)));
});

test('where too many would have to be fetched, a picture of the same shot stands in for the others', async () => {
  // 80 pictures, one key frame, and a cut after the key frame.
  const { values, asked } = await tilesOf(80, [[0, 5, 30]], [0.8]);
  expect(asked.filter(({ skip }) => skip === 'none').length).toBeLessThanOrEqual(24);
  expect(values).toEqual([5, ...Array.from({ length: 79 }, () => 200)]);
});

test('a shot of which nothing is shown is fetched before others', async () => {
  // One second of 80 is a separate shot, at a position that an even selection would skip.
  const { asked } = await tilesOf(80, [[0, 5, 30]], [0.8, 40, 41]);
  expect(asked.filter(({ skip }) => skip === 'none').some(({ from }) => Math.abs(from! - 40.5) < 0.01)).toBe(true);
});

test('in a long video each picture costs one jump, however many key frames there are', async () => {
  const { values, asked } = await tilesOf(7200, Array.from({ length: 3600 }, (_, key): Key => [key * 2, key % 200, key % 30 === 1 ? 40 : 1]));
  expect(values.length).toBe(60);
  expect(asked.length).toBe(60);
  expect(asked.every(({ skip, from, to }) => skip === 'non-key' && to! - from! <= 120)).toBe(true);
});
