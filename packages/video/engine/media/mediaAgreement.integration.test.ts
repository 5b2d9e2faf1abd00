import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { beforeAll, describe, expect, it } from 'vitest';
import { openFfmpeg } from './ffmpeg/ffmpegBackend.ts';
import { missingFfmpeg } from '../testing/installedFfmpeg.ts';
import type { FixtureSpec } from '../testing/clips/fixtureSpec.ts';
import { makeFixture } from '../testing/clips/makeFixture.ts';
import type { MediaBackend, Picture, PictureRequest } from './mediaBackend.ts';
import { openNodeAv } from './nodeAv/nodeAvBackend.ts';
import { hear, loudness, never, testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';

const missing = await missingFfmpeg();
const options = { limits: testLimits, timers: systemInterfaces.timers };

const clips: readonly Partial<FixtureSpec>[] = [
  { codec: 'h264', container: 'mp4', bFrames: 3, cuts: [1] },
  { codec: 'h264', container: 'ts', startAt: 3 },
  { codec: 'hevc', container: 'mkv', tenBit: true },
  { codec: 'vp9', container: 'webm', cuts: [0.8] },
  { codec: 'h264', container: 'mp4', width: 90, height: 160, rotation: 90 },
  { codec: 'h264', container: 'mov', trimmed: 0.4, variableRate: true },
];

describe.skipIf(missing !== null)(`the two backends agree${missing === null ? '' : ` (${missing})`}`, () => {
  let backends: readonly [MediaBackend, MediaBackend];
  beforeAll(async () => {
    backends = [await openFfmpeg(process.env['FFMPEG_PATH'] ?? 'ffmpeg', options), await openNodeAv(options)];
  });

  async function pictures(backend: MediaBackend, path: string, more: Partial<PictureRequest> = {}): Promise<Picture[]> {
    const info = await backend.probe(path, never);
    const found: Picture[] = [];
    for await (const picture of backend.pictures({ path, info, width: 96, height: 54, format: 'yuv420p', skip: 'none', signal: never, ...more })) found.push(picture);
    return found;
  }

  it.each(clips)('on facts, packets, times, pixels and sound of %o', async (spec) => {
    const path = await makeFixture({ seconds: 1.6, ...spec });
    const [ours, theirs] = backends;
    const info = await ours.probe(path, never);
    expect(await theirs.probe(path, never)).toEqual(info);
    expect(await theirs.packets(path, info, never)).toEqual(await ours.packets(path, info, never));
    for (const skip of ['none', 'bidirectional', 'non-key'] as const) {
      const [first, second] = [await pictures(ours, path, { skip }), await pictures(theirs, path, { skip })];
      expect(second.map(({ time }) => time)).toEqual(first.map(({ time }) => time));
      for (const [at, { data }] of first.entries()) expect(meanDifference(data, second[at]!.data)).toBeLessThan(0.5);
    }
    const heard = [await hear(ours, path, { sampleRate: 16_000 }), await hear(theirs, path, { sampleRate: 16_000 })] as const;
    expect(Math.abs(heard[0].length - heard[1].length)).toBeLessThan(64);
    // Containers with millisecond timestamps shift the sound by half a millisecond, so the test compares loudness, not
    // samples.
    for (let time = 0.1; time < 1.4; time += 0.02) {
      const [first, second] = heard.map((samples) => loudness(samples, time, time + 0.02, 16_000)) as [number, number];
      expect(Math.abs(first - second)).toBeLessThan(60 + 0.05 * first);
    }
  });

  it('on packed RGB at full size', async () => {
    const path = await makeFixture({ cuts: [0.4], seconds: 0.8, sound: null });
    const more = { width: 160, height: 90, format: 'rgb24' } as const;
    const [first, second] = [await pictures(backends[0], path, more), await pictures(backends[1], path, more)];
    for (const [at, { data }] of first.entries()) expect(meanDifference(data, second[at]!.data)).toBeLessThan(0.5);
  });
});

function meanDifference(first: Uint8Array, second: Uint8Array): number {
  let sum = 0;
  const length = Math.min(first.length, second.length);
  for (let at = 0; at < length; at += 1) sum += Math.abs(first[at]! - second[at]!);
  return sum / Math.max(1, length);
}
