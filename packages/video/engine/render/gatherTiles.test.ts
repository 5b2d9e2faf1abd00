import { expect, test } from 'vitest';
import type { MediaBackend, Picture, PictureRequest } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { gatherTiles } from './gatherTiles.ts';
import { layStoryboard } from './storyboardGrid.ts';

/** Key frames of a source: time, value of its pixels, and how far every second pixel is from it. */
type Key = readonly [time: number, value: number, contrast: number];

async function tilesOf(duration: number, keys: readonly Key[]): Promise<{ values: (number | null)[]; asked: PictureRequest[] }> {
  const asked: PictureRequest[] = [];
  const paint = (request: PictureRequest, value: number, contrast: number): Uint8Array =>
    Uint8Array.from({ length: request.width * request.height * 3 }, (_, index) => value + (index % 2 === 0 ? contrast : 0));
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
  const tiles = await gatherTiles({ backend, source: { path: '', hash: '', info }, signal: new AbortController().signal }, layStoryboard(duration, info.video), () => {});
  return { values: tiles.map((tile) => tile?.[1] ?? null), asked };
}

test('of the key frames of a stretch the one that shows most is taken, else the one before, else the frame itself', async () => {
  // A picture for every 5 s; the first key frame of a stretch lies in a fade.
  const { values, asked } = await tilesOf(400, [...Array.from({ length: 60 }, (_, step): Key => [step * 5, 10, 1]), ...Array.from({ length: 60 }, (_, step): Key => [step * 5 + 2, step, 30])].sort((a, b) => a[0] - b[0]));
  expect(values.length).toBe(80);
  expect(values.slice(0, 60)).toEqual(Array.from({ length: 60 }, (_, step) => step));
  expect(values[60]).toBe(59);
  expect(values.slice(61)).toEqual(Array.from({ length: 19 }, () => 200));
  expect(asked.filter(({ skip }) => skip === 'none').length).toBe(19);
});

test('in a long video each picture costs one jump, however many key frames there are', async () => {
  const { values, asked } = await tilesOf(7200, Array.from({ length: 3600 }, (_, key): Key => [key * 2, key % 200, key % 30 === 1 ? 40 : 1]));
  expect(values.length).toBe(60);
  expect(asked.length).toBe(60);
  expect(asked.every(({ skip, from, to }) => skip === 'non-key' && to! - from! <= 120)).toBe(true);
});
