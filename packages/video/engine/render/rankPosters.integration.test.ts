import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMediaBackend } from '../backend/openMediaBackend.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { rankPosters } from './rankPosters.ts';

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
    const request = { backend, source: { path, info, hash: 'trailer' }, signal, size: { width: 960, height: 408 }, pieces: folder, posters: [null], candidates: 2 };
    const first = await rankPosters(request, posters);
    expect(first.posters.map(({ time }) => time)).toEqual([17, 20, 50]);
    expect([...first.taken.keys()]).toEqual([17, 20]);
    const again = await rankPosters(request, posters);
    expect(again.posters).toEqual(first.posters);
    expect(again.pieces.map(({ key, reused }) => ({ key, reused }))).toEqual(first.pieces.map(({ key }) => ({ key, reused: true })));
    expect(again.taken.size).toBe(0);
  });
});
