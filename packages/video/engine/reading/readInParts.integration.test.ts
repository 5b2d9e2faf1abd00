import { beforeAll, describe, expect, it } from 'vitest';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { FixtureSpec } from '../testing/clips/fixtureSpec.ts';
import { makeFixture } from '../testing/clips/makeFixture.ts';
import type { MediaBackend, Picture } from '../media/mediaBackend.ts';
import { openMediaBackend } from '../backend/openMediaBackend.ts';
import { expectSame, livingChildren, never, testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { analysisShape } from '../pictures/frameTrack.ts';
import { readInParts } from './readInParts.ts';
import { splitAtKeys } from './splitAtKeys.ts';

let backend: MediaBackend;
beforeAll(async () => {
  backend = await openMediaBackend(process.env['FFMPEG_PATH'], { limits: testLimits, timers: systemInterfaces.timers });
});

const clips: readonly Partial<FixtureSpec>[] = [
  { codec: 'h264', container: 'mp4', bFrames: 3 },
  { codec: 'h264', container: 'mkv', bFrames: 3, startAt: 30 },
  { codec: 'vp9', container: 'webm' },
];

describe('pictures read in parts', () => {
  it.each(clips)('are those read from beginning to end: %o', async (spec) => {
    const path = await makeFixture({ seconds: 4, gop: { frames: 20, fixed: true }, sound: null, ...spec });
    const info = await backend.probe(path, never);
    const packets = await backend.packets(path, info, never);
    expect(splitAtKeys(packets, { lanes: 2, minShare: 0.1, maxPictures: 1000 }).length).toBeGreaterThan(2);
    for (const skip of ['none', 'bidirectional'] as const) {
      const parts = readInParts({ backend, path, info, signal: never }, skip, packets, 0.1);
      expectSame(await gather(parts), await gather(backend.pictures({ path, info, ...analysisShape, skip, signal: never })));
      expect(parts.damaged()).toBe(0);
    }
  });

  it('are refused where a part does not begin at its key frame, and no process stays', async () => {
    const path = await makeFixture({ seconds: 4, gop: { frames: 50, fixed: true }, bFrames: 3, sound: null });
    const info = await backend.probe(path, never);
    const { times, sizes } = await backend.packets(path, info, never);
    const wrong = { times: times.map((time) => time + 0.013), sizes, keys: Uint8Array.from(times, (_, at) => (at % 30 === 0 ? 1 : 0)) };
    const before = livingChildren();
    await expect(gather(readInParts({ backend, path, info, signal: never }, 'none', wrong, 0.1))).rejects.toMatchObject({ code: 'decoder-failed' });
    if (backend.name === 'ffmpeg') expect(livingChildren()).toEqual(before);
  });
});

async function gather(pictures: AsyncIterable<Picture>): Promise<Picture[]> {
  const all: Picture[] = [];
  for await (const picture of pictures) all.push(picture);
  return all;
}
