import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMediaBackend } from '../backend/openMediaBackend.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { loadFaceWeights } from '../faces/loadFaceWeights.ts';
import { paintFace } from '../testing/paintFace.ts';
import type { Poster } from './choosePosters.ts';
import { rankPosters } from './rankPosters.ts';

const [width, height, perSecond] = [320, 180, 10];
const { signal } = new AbortController();
const limits = { memoryBytes: 2 * 2 ** 30, wallMs: 100_000, cpuSeconds: 100, diskBytes: 1e9, pixels: 4e6, threads: 2, niceness: 0 };
const data = process.env['VOUCH_TEST_DATA'];
const path = join(data ?? '', 'video/sintel_trailer-720p.mp4');

let folder: string;
let backend: MediaBackend;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-posters-'));
  backend = await openMediaBackend(process.env['FFMPEG_PATH'], { limits, timers: systemInterfaces.timers });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(data === undefined)('the order of posters of a trailer (VOUCH_TEST_DATA)', () => {
  // At 50 s, the trailer shows its credits, at 17 s and 20 s scenes.
  const posters = [50, 17, 20].map((time, segment) => ({ time, segment, quality: 1 - segment / 10 }));

  it('puts a picture with text last, and needs no decoding the second time', async () => {
    const info = await backend.probe(path, signal);
    const request = { backend, source: { path, info, hash: 'trailer' }, signal, size: { width: 960, height: 408 }, pieces: folder, posters: [null], candidates: 2, faceWeights: null };
    const first = await rankPosters(request, posters, []);
    expect(first.posters.map(({ time }) => time)).toEqual([17, 20, 50]);
    expect([...first.taken.keys()]).toEqual([17, 20]);
    const again = await rankPosters(request, posters, []);
    expect(again.posters).toEqual(first.posters);
    expect(again.pieces.map(({ key, reused }) => ({ key, reused }))).toEqual(first.pieces.map(({ key }) => ({ key, reused: true })));
    expect(again.taken.size).toBe(0);
  });
});

describe('the order of posters of a video with a face', () => {
  /** Two seconds of a plain picture, then two with a face. */
  async function encode(): Promise<string> {
    const clip = join(folder, 'faces.mp4');
    const plain = { width, height, rgb: new Uint8Array(width * height * 3).fill(150) };
    const face = { width, height, rgb: new Uint8Array(width * height * 3).fill(150) };
    paintFace(face, { x: 160, y: 90, height: 90 });
    const pictures = [plain, face].flatMap((picture) => Array.from({ length: 2 * perSecond }, () => planar(picture.rgb)));
    await backend.encodeClip({ width, height, rate: { numerator: perSecond, denominator: 1 }, pictures, sound: null, output: clip, signal });
    return clip;
  }

  it('begins with the face, also if it is at another moment of the segment, and searches no picture twice', async () => {
    const clip = await encode();
    const poster = (time: number, segment: number, quality: number): Poster => ({ time, segment, quality });
    const [one, other, moment] = [poster(0.5, 0, 0.8), poster(1.5, 1, 0.5), poster(2.5, 1, 0.7)];
    const request = { backend, source: { path: clip, info: await backend.probe(clip, signal), hash: 'faces' }, signal, size: { width, height }, pieces: folder, posters: [null], candidates: 0 };
    expect((await rankPosters({ ...request, faceWeights: null }, [one, other], [one, moment])).posters).toEqual([{ ...one, text: false, face: null }, { ...other, text: null, face: null }]);
    const faceWeights = await loadFaceWeights();
    const first = await rankPosters({ ...request, faceWeights }, [one, other], [one, moment]);
    expect(first.posters).toEqual([{ ...moment, text: false, face: 1 }, { ...one, text: false, face: 0 }]);
    const [face] = first.faces.get(moment.time)!;
    expect(face!.left + face!.width / 2).toBeCloseTo(0.5, 1);
    const again = await rankPosters({ ...request, faceWeights }, [one, other], [one, moment]);
    expect([again.posters, again.faces]).toEqual([first.posters, first.faces]);
    expect(again.pieces.every(({ reused }) => reused)).toBe(true);
  });
});

function planar(rgb: Uint8Array): Uint8Array {
  const picture = new Uint8Array(width * height * 1.5);
  for (let at = 0; at < width * height; at++) {
    const [red, green, blue] = rgb.subarray(at * 3) as unknown as [number, number, number];
    picture[at] = 16 + 0.257 * red + 0.504 * green + 0.098 * blue;
    const chroma = width * height + (Math.floor(at / width) >> 1) * (width / 2) + ((at % width) >> 1);
    picture[chroma] = 128 - 0.148 * red - 0.291 * green + 0.439 * blue;
    picture[chroma + (width * height) / 4] = 128 + 0.439 * red - 0.368 * green - 0.071 * blue;
  }
  return picture;
}
