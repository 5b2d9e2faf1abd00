import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { describeClip, generateClip } from '../../sample/generateClip.ts';
import type { Analysis } from '../analysis/analysis.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { openNodeAv } from '../media/nodeAv/nodeAvBackend.ts';
import { analyse } from '../reading/analyse.ts';
import { selectSegments } from '../selection/selectSegments.ts';
import { never, testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { selectExactly } from './selectExactly.ts';

const cuts = describeClip().scenes.slice(1).map(({ start }) => start);
const lengths = [8, 12, 16, 20, 24];

interface Range {
  start: number;
  end: number;
}

/** Starts within 0.5 s before a cut and ends within 1 s after a cut; 0.06 s is less than a frame. */
function nearCuts(segments: readonly Range[]): Range[] {
  const between = (distance: number, most: number): boolean => distance > 0.06 && distance < most;
  return segments.filter(({ start, end }) => cuts.some((cut) => between(cut - start, 0.5) || between(end - cut, 1)));
}

describe('an analysis that missed every cut', () => {
  let folder: string;
  let path: string;
  let backend: MediaBackend;
  let analysis: Analysis;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vouch-exactly-'));
    path = join(folder, 'clip.mp4');
    backend = await openNodeAv({ limits: testLimits, timers: systemInterfaces.timers });
    await generateClip(backend, path, never);
    const { timeline: _, ...found } = await analyse({ backend, path, info: await backend.probe(path, never), tier: 'fast', signal: never, progress: () => {} });
    analysis = { ...found, transitions: [], shots: [{ start: 0, end: found.info.duration }] };
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const select = async (duration: number) => (await selectExactly({ backend, path, signal: never }, analysis, { duration }, [])).selection.segments;

  exhaustiveTest('still gives segments that neither start just before a cut nor end just after one', async () => {
    expect(lengths.flatMap((duration) => nearCuts(selectSegments(analysis, { duration }).segments)).length).toBeGreaterThan(0);
    for (const duration of lengths) expect(nearCuts(await select(duration))).toEqual([]);
  });

  exhaustiveTest('gives the same segments each time, and stays unchanged', async () => {
    const before = structuredClone(analysis);
    expect(await select(12)).toEqual(await select(12));
    expect(analysis).toEqual(before);
  });

  it('is completed by all frames around the boundaries, from which posters are chosen', async () => {
    const { selection: { segments }, frames } = await selectExactly({ backend, path, signal: never }, analysis, { duration: 12 }, []);
    const around = (times: Float64Array): number[] => [...times].filter((time) => segments.some(({ start, end }) => [start, end].some((boundary) => Math.abs(time - boundary) < 0.6)));
    expect(around(frames.times)).toEqual(around(analysis.frameTimes));
    expect(around(analysis.frames.times).length).toBeLessThan(around(analysis.frameTimes).length / 4);
    expect(frames.times.length).toBeLessThan(analysis.frameTimes.length);
  });

  it('is completed at the start of the video if the first picture is black, because a fade may follow', async () => {
    const { frames } = analysis;
    const blackened = (values: Float32Array, value: number): Float32Array => values.map((known, index) => (index === 0 ? value : known));
    const black = { ...analysis, frames: { ...frames, brightness: blackened(frames.brightness, 16), contrast: blackened(frames.contrast, 0), sharpness: blackened(frames.sharpness, 0) } };
    const include_ranges = [{ start: 0, end: 9 }];
    const known = async (started: Analysis): Promise<number> => (await selectExactly({ backend, path, signal: never }, started, { duration: 12, include_ranges }, [])).frames.times.filter((time) => time < 1).length;
    expect(await known(analysis)).toBeLessThan(5);
    expect(await known(black)).toBe(analysis.frameTimes.filter((time) => time < 1).length);
  });

  it('says which option makes the preview too short', async () => {
    const { selection: { warnings } } = await selectExactly({ backend, path, signal: never }, analysis, { ratio: 0.5, max_segments: 2, max_segment_duration: 4 }, []);
    expect(warnings.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([expect.stringMatching(/^less-than-duration: .* Without max_segment/)]);
  });

  it('is completed without decoding a group of pictures more than twice', async () => {
    const packets = await backend.packets(path, analysis.info, never);
    const keys = Array.from(packets.times).filter((_, at) => packets.keys[at] === 1);
    for (const duration of [8, 20]) {
      const decodings = keys.map(() => 0);
      const counting: MediaBackend = Object.assign(Object.create(backend) as MediaBackend, {
        pictures: (request: Parameters<MediaBackend['pictures']>[0]) => {
          for (const { from, to, fromKey = false } of request.stretches ?? []) {
            // Without `fromKey`, a decoder starts at a key frame at least 0.1 s before.
            const first = fromKey ? from : from - 0.1;
            keys.forEach((key, at) => (decodings[at]! += key < to - 1e-4 && (keys[at + 1] ?? Infinity) > first + 1e-4 ? 1 : 0));
          }
          return backend.pictures(request);
        },
      });
      await selectExactly({ backend: counting, path, signal: never }, analysis, { duration }, []);
      expect(Math.max(...decodings)).toBeLessThanOrEqual(2);
    }
  });

  it('is used as found if the media cannot be read around the segments', async () => {
    const { selection } = await selectExactly({ backend, path: join(folder, 'absent.mp4'), signal: never }, analysis, { duration: 12 }, []);
    expect(selection.segments).toEqual(selectSegments(analysis, { duration: 12 }).segments);
  });
});
