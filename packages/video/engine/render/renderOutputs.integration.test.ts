import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { FilePathSource, Input, MP4 } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Analysis, Tier } from '../analysis/analysis.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { openMediaBackend } from '../backend/openMediaBackend.ts';
import type { Selection } from '../selection/selection.ts';
import { bareAnalysis, bareSelection } from '../testing/bareAnalysis.ts';
import { findFlashesAndBeeps, makeFlashClip, type FlashClip } from '../testing/flashAndBeep.ts';
import { gatherTiles } from './gatherTiles.ts';
import type { Rendering } from './rendering.ts';
import { renderOutputs } from './renderOutputs.ts';
import type { RenderOptions, RenderRequest } from './renderRequest.ts';
import { noShots } from './tellNumbers.ts';
import { layStoryboard } from './storyboardGrid.ts';

const { signal } = new AbortController();
const limits = { memoryBytes: 2 * 2 ** 30, wallMs: 100_000, cpuSeconds: 100, diskBytes: 1e9, pixels: 4e6, threads: 2, niceness: 0 };
const rate = { numerator: 30_000, denominator: 1001 };
const frame = rate.denominator / rate.numerator;

let folder: string;
let backend: MediaBackend;
let path: string;
let clip: FlashClip;
let analysis: Analysis;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-render-'));
  backend = await openMediaBackend(process.env['FFMPEG_PATH'], { limits, timers: systemInterfaces.timers });
  path = join(folder, 'clip.mp4');
  clip = await makeFlashClip(backend, path, rate, 20, signal);
  analysis = await bareAnalysis(backend, path, signal);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Segments that start and end at frames near the given seconds. */
function choose(...ranges: (readonly [number, number])[]): Selection {
  const snap = (seconds: number): number => analysis.frameTimes[Math.min(analysis.frameTimes.length - 1, Math.round(seconds / frame))]!;
  return bareSelection(ranges.map(([start, end]) => ({ start: snap(start), end: snap(end) })));
}

/** Times of the first picture and of the first sample of the sound, seconds. */
async function beginsOf(file: string): Promise<{ pictures: number; sound: number }> {
  using input = new Input({ formats: [MP4], source: new FilePathSource(file) });
  return { pictures: await (await input.getPrimaryVideoTrack())!.getFirstTimestamp(), sound: await (await input.getPrimaryAudioTrack())!.getFirstTimestamp() };
}

let renders = 0;
async function render(selection: Selection, options: RenderOptions, more: { pieces?: string; title?: string; report?: RenderRequest['report']; tier?: Tier } = {}): Promise<Rendering & { of(kind: string): string }> {
  renders += 1;
  const told: number[] = [];
  const rendering = await renderOutputs({
    backend, source: { path, hash: 'clip' }, analysis: { ...analysis, tier: more.tier ?? analysis.tier }, selection, options, cues: [{ start: 1.5, end: 2, text: 'spoken' }],
    folder: join(folder, `out-${renders}`), pieces: more.pieces ?? join(folder, `pieces-${renders}`), title: more.title ?? 'clip.mp4', report: more.report ?? null,
    progress: (share) => told.push(share), signal,
  });
  expect(told).toEqual([...told].sort((a, b) => a - b));
  expect(told.at(-1)).toBe(1);
  return { ...rendering, of: (kind) => rendering.files.find((file) => file.kind === kind)?.path ?? '' };
}

/** Times of the source's flashes in the preview, seconds. */
function flashesOf(selection: Selection, { parts }: Rendering): number[] {
  return selection.segments.flatMap(({ start, end }, index) =>
    clip.flashes.filter((time) => time > start - frame / 2 && time < end - frame / 2).map((time) => time - start + parts[index]!.at));
}

describe('a preview', () => {
  const ranges = [[1, 4.2], [6.03, 8.5], [14.2, 19.3]] as const;
  /** The mp4 of the first test, reused by the test of kept pieces because encoding each piece starts a process. */
  let first: Awaited<ReturnType<typeof render>>;
  const pieces = (): string => join(folder, 'kept');

  it.each(['mp4', 'webm', 'av1'] as const)('as %s has picture and sound together in every segment, and lasts as long as its segments', async (kind) => {
    const selection = choose(...ranges);
    const rendering = await render(selection, { outputs: [kind], width: kind === 'av1' ? 128 : 64 }, { pieces: pieces() });
    if (kind === 'mp4') first = rendering;
    const info = await backend.probe(rendering.of(kind), signal);
    const { flashes, beeps, frames } = await findFlashesAndBeeps(backend, rendering.of(kind), info, signal);
    const expected = flashesOf(selection, rendering);
    expect(expected.length).toBeGreaterThan(5);
    expect(flashes.length).toBe(expected.length);
    expect(beeps.length).toBe(expected.length);
    for (const [index, time] of expected.entries()) {
      expect(Math.abs(flashes[index]! - time)).toBeLessThan(0.01);
      // The limit is 40 ms; a frame lasts 33 ms.
      expect(Math.abs(beeps[index]! - flashes[index]!)).toBeLessThan(0.01);
    }
    const seconds = selection.segments.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(Math.abs(frames.length * frame - seconds)).toBeLessThan(frame);
    expect(Math.abs(info.duration - seconds)).toBeLessThan(frame);
    expect(frames.every((time, index) => index === 0 || Math.abs(time - frames[index - 1]! - frame) < 0.002)).toBe(true);
    expect([info.video.codec, info.audio?.codec]).toEqual({ mp4: ['h264', 'aac'], webm: ['vp9', 'opus'], av1: ['av1', 'aac'] }[kind]);
  });

  it('for HLS is one fragmented file whose segments can each be decoded alone, with picture and sound together', async () => {
    const selection = choose(...ranges);
    const rendering = await render(selection, { outputs: ['hls'], width: 64 }, { pieces: pieces() });
    expect((await readdir(join(folder, `out-${renders}`))).sort()).toEqual(['preview.hls.mp4', 'preview.m3u8']);
    const [list, media] = [await readFile(rendering.of('hls'), 'utf8'), await readFile(rendering.of('hls-media'))];
    const [, init] = /^#EXT-X-MAP:URI="preview\.hls\.mp4",BYTERANGE="(\d+)@0"$/m.exec(list) ?? [];
    const segments = [...list.matchAll(/^#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@(\d+)\npreview\.hls\.mp4$/gm)].map(([, seconds, bytes, from]) => ({ seconds: Number(seconds), bytes: Number(bytes), from: Number(from) }));
    // Each of the three pieces begins with a key frame.
    expect(segments.length).toBe(3);
    let [at, frames] = [Number(init), 0];
    for (const { seconds, bytes, from } of segments) {
      expect(from).toBe(at);
      at += bytes;
      const alone = join(folder, `segment-${from}.mp4`);
      await writeFile(alone, Buffer.concat([media.subarray(0, Number(init)), media.subarray(from, from + bytes)]));
      const shown = (await findFlashesAndBeeps(backend, alone, await backend.probe(alone, signal), signal)).frames.length;
      expect(Math.abs(shown * frame - seconds)).toBeLessThan(frame);
      frames += shown;
    }
    const { flashes, beeps } = await findFlashesAndBeeps(backend, rendering.of('hls-media'), await backend.probe(rendering.of('hls-media'), signal), signal);
    expect(flashes.length).toBe(flashesOf(selection, rendering).length);
    for (const [index, flash] of flashes.entries()) expect(Math.abs(beeps[index]! - flash)).toBeLessThan(0.01);
    expect(Math.abs(frames * frame - selection.segments.reduce((sum, { start, end }) => sum + end - start, 0))).toBeLessThan(frame);
    // Players over Media Source Extensions show what is between 0 and the first picture as a gap.
    const [streamed, whole] = [await beginsOf(rendering.of('hls-media')), await beginsOf((await render(selection, { outputs: ['mp4'], width: 64 }, { pieces: pieces() })).of('mp4'))];
    expect(streamed.pictures).toBe(0);
    expect(Math.abs(streamed.sound - whole.sound)).toBeLessThan(0.001);
    expect(list).toMatch(/^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:5\n[^]*\n#EXT-X-ENDLIST\n$/);
  });

  it('with burnt-in captions shows them where the subtitles are spoken, and says where there are none', async () => {
    const bright = async (file: string): Promise<number[]> => {
      const found: number[] = [];
      const info = await backend.probe(file, signal);
      for await (const { time, data } of backend.pictures({ path: file, info, width: 128, height: 72, format: 'yuv420p', skip: 'none', signal })) {
        if (data.subarray(128 * 58, 128 * 68).some((value) => value > 180) && data[128 * 40]! < 100) found.push(time);
      }
      return found;
    };
    // The subtitle lasts from 1.5 to 2 s.
    const told = await render(choose([1, 2.5]), { outputs: ['mp4'], width: 128, burn_captions: true });
    expect(told.warnings).toEqual([]);
    const shown = await bright(told.of('mp4'));
    expect(shown.length).toBeGreaterThan(5);
    expect([Math.min(...shown) > 0.45, Math.max(...shown) < 1.05]).toEqual([true, true]);
    expect((await readdir(join(folder, `out-${renders}`)))).toEqual(['preview.mp4']);
    const silent = await render(choose([6, 7]), { outputs: ['mp4'], width: 128, burn_captions: true });
    expect(silent.warnings.map(({ code }) => code)).toEqual(['captions-empty']);
  });

  it('can be played while it loads, comes out byte for byte the same from kept pieces, and has no sound where none is wanted', async () => {
    expect(first.pieces.map(({ reused }) => reused)).toEqual([false, false, false, false]);
    const again = await render(choose(...ranges), { outputs: ['mp4'], width: 64 }, { pieces: pieces() });
    expect(again.pieces.map(({ key, reused }) => [key, reused])).toEqual(first.pieces.map(({ key }) => [key, true]));
    const bytes = await readFile(first.of('mp4'));
    expect((await readFile(again.of('mp4'))).equals(bytes)).toBe(true);
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    const other = await render(choose(ranges[1], [2, 3]), { outputs: ['mp4'], width: 64, audio: false }, { pieces: pieces() });
    expect(other.pieces.filter(({ reused }) => reused).length).toBe(1);
    expect((await backend.probe(other.of('mp4'), signal)).audio).toBeNull();
    expect((await readdir(pieces())).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('fades from segment to segment with picture and sound together', async () => {
    const selection = choose([1, 4.2], [6.03, 8.5]);
    const rendering = await render(selection, { outputs: ['mp4'], width: 64, crossfade: 0.5 });
    const overlap = Math.round(0.5 / frame) * frame;
    expect(rendering.parts[1]!.at).toBeCloseTo(rendering.parts[0]!.duration - overlap, 6);
    const info = await backend.probe(rendering.of('mp4'), signal);
    expect(Math.abs(info.duration - (3.2 + 2.47 - overlap))).toBeLessThan(2 * frame);
    const { flashes, beeps } = await findFlashesAndBeeps(backend, rendering.of('mp4'), info, signal);
    const clear = flashesOf(selection, rendering).filter((time) => Math.abs(time - rendering.parts[1]!.at) > overlap + 0.2);
    expect(clear.length).toBeGreaterThan(1);
    for (const time of clear) {
      expect(Math.min(...flashes.map((flash) => Math.abs(flash - time)))).toBeLessThan(0.01);
      expect(Math.min(...beeps.map((beep) => Math.abs(beep - time)))).toBeLessThan(0.02);
    }
  });

  it('shows segments in the order that it is given, also the end of the video and beyond', async () => {
    const selection = choose([14, 19.9], [1, 2]);
    const last = { ...selection.segments[0]!, end: analysis.info.duration + 0.5 };
    const rendering = await render({ ...selection, segments: [last, selection.segments[1]!] }, { outputs: ['mp4'], width: 64 });
    const info = await backend.probe(rendering.of('mp4'), signal);
    const { flashes, frames } = await findFlashesAndBeeps(backend, rendering.of('mp4'), info, signal);
    expect(Math.abs(frames.length * frame - (last.end - last.start + 1))).toBeLessThan(2 * frame);
    expect(Math.abs(flashes.at(-1)! - flashesOf(selection, rendering).at(-1)!)).toBeLessThan(0.01);
  });
});

describe('the other outputs', () => {
  exhaustiveTest('are what their names say', async () => {
    const rendering = await render(choose([1, 2.5], [5, 6]), {
      outputs: ['gif', 'webp', 'poster', 'poster_candidates', 'storyboard', 'keyframes', 'shots', 'curve', 'captions', 'chapters', 'otio', 'edl', 'fcpxml'], width: 64, fps: 12.5,
    }, { title: '<b>clip</b>', report: { warnings: [{ code: 'subtitles-not-found', detail: 'No subtitles in Dutch.' }] }, tier: 'accurate' });
    const names = (await readdir(join(folder, `out-${renders}`))).sort();
    expect(names).toEqual(['captions.vtt', 'chapters.vtt', 'curve.json', 'keyframe-001.jpg', 'keyframe-002.jpg', 'poster-candidate-1.jpg', 'poster-candidate-2.jpg', 'poster.jpg', 'preview.edl', 'preview.fcpxml', 'preview.gif', 'preview.otio', 'preview.webp', 'report.html', 'shots.json', 'storyboard.jpg', 'storyboard.vtt']);
    expect(rendering.files.length).toBe(names.length);
    const head = async (kind: string): Promise<string> => (await readFile(rendering.of(kind))).toString('latin1', 0, 12);
    expect(await head('gif')).toMatch(/^GIF89a/);
    expect(await head('webp')).toMatch(/^RIFF[^]{4}WEBP/);
    for (const kind of ['poster', 'storyboard-sprite', 'keyframe']) expect(await head(kind)).toMatch(/^\xFF\xD8\xFF/);
    expect(JSON.parse(await readFile(rendering.of('shots'), 'utf8'))).toMatchObject({ shots: [{ start: 0 }], transitions: [] });
    expect(JSON.parse(await readFile(rendering.of('curve'), 'utf8'))).toMatchObject({ step: 0.5, importance: [0.5, 0.5, 0.5, 0.5] });
    expect(JSON.parse(await readFile(rendering.of('otio'), 'utf8'))).toMatchObject({ OTIO_SCHEMA: 'Timeline.1', name: 'Preview of <b>clip</b>' });
    expect(await readFile(rendering.of('captions'), 'utf8')).toMatch(/^WEBVTT\n\n00:00:00\.\d+ --> 00:00:0\d\.\d+\nspoken\n$/);
    expect(await readFile(rendering.of('chapters'), 'utf8')).toContain('From 0:05.0');
    expect(await readFile(rendering.of('edl'), 'utf8')).toContain('00:00:01:00 00:00:02:');
    expect(await readFile(rendering.of('fcpxml'), 'utf8')).toContain('name="&lt;b&gt;clip&lt;/b&gt;"');
    const report = await readFile(rendering.of('report'), 'utf8');
    expect(report).toContain('data:image/jpeg;base64,/9j/');
    expect(report).toContain('No subtitles in Dutch.');
    for (const file of rendering.files) expect((await stat(file.path)).size).toBeGreaterThan(0);
  });

  it('contain no shots in the tier fast, with the reason, and shots in every other tier', async () => {
    const told = async (tier: Tier): Promise<{ codes: string[]; file: unknown }> => {
      const rendering = await render(choose([1, 2.5]), { outputs: ['shots'] }, { tier });
      return { codes: rendering.warnings.map(({ code }) => code), file: JSON.parse(await readFile(rendering.of('shots'), 'utf8')) };
    };
    expect(await told('fast')).toEqual({ codes: ['shots-unavailable'], file: { duration: expect.any(Number) as number, tier: 'fast', shots: null, transitions: null, reason: noShots } });
    for (const tier of ['balanced', 'accurate'] as const) expect(await told(tier)).toMatchObject({ codes: [], file: { tier, shots: [{ start: 0 }] } });
  });

  it('show in the storyboard what is there at each time', async () => {
    const ramp = join(folder, 'ramp.mp4');
    const pictures = Array.from({ length: 200 }, (_, index) => new Uint8Array(64 * 36 * 1.5).fill(128).fill(30 + index, 0, 64 * 36));
    await backend.encodeClip({ width: 64, height: 36, rate: { numerator: 20, denominator: 1 }, pictures, sound: null, output: ramp, signal });
    const info = await backend.probe(ramp, signal);
    expect(info.audio).toBeNull();
    const grid = layStoryboard(info.duration, info.video);
    const tiles = await gatherTiles({ backend, source: { path: ramp, hash: 'ramp', info }, signal }, grid, () => {});
    expect(tiles.length).toBe(20);
    for (const [index, tile] of tiles.entries()) {
      // Limited range: luma 16–235 is expanded to 0–255.
      const luma = 16 + (tile!.reduce((sum, value) => sum + value, 0) / tile!.length) * (219 / 255);
      expect(Math.abs(luma - (30 + grid.times[index]! * 20))).toBeLessThan(4);
    }
  });
});
