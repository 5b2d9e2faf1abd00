import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Analysis, Tier } from '../analysis/analysis.ts';
import { openMediaBackend } from '../backend/openMediaBackend.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { paintFace } from '../testing/paintFace.ts';
import { bareAnalysis, bareSelection } from '../testing/bareAnalysis.ts';
import type { Rendering } from './rendering.ts';
import { renderOutputs } from './renderOutputs.ts';
import type { RenderOptions } from './renderRequest.ts';

const { signal } = new AbortController();
const limits = { memoryBytes: 2 * 2 ** 30, wallMs: 100_000, cpuSeconds: 100, diskBytes: 1e9, pixels: 4e6, threads: 2, niceness: 0 };
const [width, height, perSecond] = [320, 180, 20];
/** Left edge of the square, pixels. */
const squareAt = (time: number): number => 20 + 60 * time;

let folder: string;
let backend: MediaBackend;
let crossing: string;
let crossed: Analysis;
let renders = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-shapes-'));
  backend = await openMediaBackend(process.env['FFMPEG_PATH'], { limits, timers: systemInterfaces.timers });
  crossing = join(folder, 'crossing.mp4');
  const pictures = Array.from({ length: 4 * perSecond }, (_, n) => drawCrossing(Math.round(squareAt(n / perSecond)), n));
  await backend.encodeClip({ width, height, rate: { numerator: perSecond, denominator: 1 }, pictures, sound: null, output: crossing, signal });
  crossed = await bareAnalysis(backend, crossing, signal);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A checkered square of 40 pixels on a still texture, planar 4:2:0. */
function drawCrossing(left: number, n: number): Uint8Array {
  const picture = new Uint8Array(width * height * 1.5).fill(128);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const inside = x >= left && x < left + 40 && y >= 70 && y < 110;
      picture[y * width + x] = inside ? (((x - left) >> 3) + (y >> 3) + (n >> 3)) & 1 ? 230 : 40 : Math.round(90 + 30 * Math.sin(x / 9) * Math.cos(y / 11));
    }
  }
  return picture;
}

/** The picture as planar 4:2:0, with a checkered square of 40 pixels at `left`. */
function planar({ rgb }: { rgb: Uint8Array }, left: number, n: number): Uint8Array {
  const picture = drawCrossing(left, n);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [red, green, blue] = rgb.subarray((y * width + x) * 3) as unknown as [number, number, number];
      if (x < left || x >= left + 40 || y < 70 || y >= 110) picture[y * width + x] = 16 + 0.257 * red + 0.504 * green + 0.098 * blue;
      const chroma = width * height + (y >> 1) * (width / 2) + (x >> 1);
      picture[chroma] = 128 - 0.148 * red - 0.291 * green + 0.439 * blue;
      picture[chroma + (width * height) / 4] = 128 + 0.439 * red - 0.368 * green - 0.071 * blue;
    }
  }
  return picture;
}

async function renderCrossing(options: RenderOptions, tier: Tier = 'accurate'): Promise<Rendering> {
  renders += 1;
  return renderOutputs({
    backend, source: { path: crossing, hash: 'crossing' }, analysis: { ...crossed, tier }, options, cues: [], title: 'crossing', report: null, signal,
    selection: bareSelection([{ start: 0, end: 2 }, { start: 2, end: 4 }]),
    folder: join(folder, `out-${renders}`), pieces: join(folder, `pieces-${renders}`), progress: () => {},
  });
}

/** Share of the frames of a preview that show the whole bright square. */
async function shareWithSquare(preview: string): Promise<number> {
  const info = await backend.probe(preview, signal);
  const size = { width: info.video.width, height: info.video.height };
  let [frames, whole] = [0, 0];
  for await (const { data } of backend.pictures({ path: preview, info, ...size, format: 'yuv420p', skip: 'none', signal })) {
    frames += 1;
    const bright = data.subarray(0, size.width * size.height).reduce((sum, value) => sum + (value > 190 ? 1 : 0), 0);
    // Half of the square of 40 pixels is bright, and the previews have a height of 180.
    if (bright > 0.9 * 800) whole += 1;
  }
  expect(frames).toBe(80);
  return whole / frames;
}

describe('previews in several aspect ratios', () => {
  exhaustiveTest('have their names and exact sizes, and a crop that follows what moves', async () => {
    const rendering = await renderCrossing({ outputs: ['mp4', 'gif', 'poster'], aspect_ratios: ['16:9', '1:1', '9:16'], height: 180 });
    expect(rendering.files.map(({ path, width: across, height: down, aspectRatio }) => `${path.split('/').at(-1)} ${across}x${down} ${aspectRatio}`)).toEqual([
      'preview-16x9.mp4 320x180 16:9', 'preview-16x9.gif 320x180 16:9', 'preview-1x1.mp4 180x180 1:1', 'preview-1x1.gif 180x180 1:1',
      'preview-9x16.mp4 102x180 9:16', 'preview-9x16.gif 102x180 9:16', 'poster-16x9.jpg 320x180 16:9', 'poster-1x1.jpg 180x180 1:1', 'poster-9x16.jpg 102x180 9:16',
    ]);
    for (const { kind, path, width: across, height: down } of rendering.files) {
      if (kind !== 'mp4') continue;
      const { video } = await backend.probe(path, signal);
      expect([video.width, video.height]).toEqual([across, down]);
    }
    const tall = rendering.files.find(({ path }) => path.endsWith('preview-9x16.mp4'))!;
    expect(tall.framing).toMatchObject({ mode: 'crop', picture_share: 0.319 });
    expect(tall.framing?.motion_share).toBeGreaterThan(0.9);
    expect(await shareWithSquare(tall.path)).toBeGreaterThan(0.95);
    expect(rendering.files[0]?.framing).toEqual({ mode: 'whole', picture_share: 1, motion_share: 1, faces_share: null });
  });

  it('show a face beside something that moves', async () => {
    const clip = join(folder, 'face.mp4');
    const still = { width, height, rgb: new Uint8Array(width * height * 3).fill(150) };
    paintFace(still, { x: 60, y: 90, height: 90 });
    const pictures = Array.from({ length: 2 * perSecond }, (_, n) => planar(still, 250 + Math.round(8 * Math.sin(n)), n));
    await backend.encodeClip({ width, height, rate: { numerator: perSecond, denominator: 1 }, pictures, sound: null, output: clip, signal });
    renders += 1;
    const { files } = await renderOutputs({
      backend, source: { path: clip, hash: 'face' }, analysis: await bareAnalysis(backend, clip, signal), options: { outputs: ['poster'], aspect_ratios: ['9:16'] }, cues: [], title: 'face', report: null, signal,
      selection: bareSelection([{ start: 0, end: 2 }]), folder: join(folder, `out-${renders}`), pieces: join(folder, `pieces-${renders}`), progress: () => {},
    });
    expect(files[0]?.framing?.faces_share).toBeGreaterThan(0.95);
    expect(files[0]?.framing?.motion_share).toBeLessThan(0.5);
  });

  it('are padded on request, and have exactly the size of width and height', async () => {
    const padded = await renderCrossing({ outputs: ['mp4'], width: 200, height: 180, framing: 'pad' });
    expect(padded.files.map(({ path, width: across, height: down, framing }) => [path.split('/').at(-1), across, down, framing?.mode])).toEqual([['preview.mp4', 200, 180, 'pad']]);
    const cropped = await renderCrossing({ outputs: ['mp4'], width: 180, height: 180, framing: 'crop', crossfade: 0.2 }, 'fast');
    const { video } = await backend.probe(cropped.files[0]!.path, signal);
    expect([video.width, video.height]).toEqual([180, 180]);
  });
});
