import { describe, expect, it } from 'vitest';
import type { FixtureSpec } from '../clips/fixtureSpec.ts';
import { makeFixture } from '../clips/makeFixture.ts';
import { expectSame, hear, livingChildren, never, type MediaUnderTest } from './mediaUnderTest.ts';

const clips: readonly Partial<FixtureSpec>[] = [
  { codec: 'h264', container: 'mp4', bFrames: 3, cuts: [0.6] },
  { codec: 'h264', container: 'mov', trimmed: 0.4, variableRate: true },
  { codec: 'h264', container: 'mkv', sound: { from: 0.3, to: 0.8, part: true } },
  { codec: 'hevc', container: 'mp4', sound: null },
  { codec: 'vp8', container: 'webm' },
  { codec: 'h264', container: 'mp4', width: 90, height: 160, rotation: 90 },
  { codec: 'vp9', container: 'webm' },
  { codec: 'h264', container: 'ts', startAt: 3 },
];

const shape = { width: 96, height: 54, format: 'yuv420p' } as const;

/**
 * Tests that reading a whole file in one process gives the same results as one process per stream, or that the backend
 * declines.
 */
export function describeAllStreams(subject: () => MediaUnderTest): void {
  describe('packets, pictures and sound read in one process', () => {
    it.each(clips)('are what each reading alone gives: %o', async (spec) => {
      const path = await makeFixture({ seconds: 1.2, gop: { frames: 10, fixed: true }, ...spec });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      for (const skip of ['none', 'loop-filter', 'bidirectional', 'non-key'] as const) {
        const streams = backend.readAllStreams({ path, info, ...shape, skip, sampleRate: 16_000, signal: never });
        if (streams === null) continue;
        const [packets, pictures, sound] = await Promise.all([streams.packets(), gather(streams.pictures), gather(streams.sound ?? noSound())]);
        expect(packets).toEqual(await backend.packets(path, info, never));
        expectSame(pictures, await gather(backend.pictures({ path, info, ...shape, skip, signal: never })));
        expect(Buffer.concat(sound.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))).equals(Buffer.from((await hear(backend, path, { sampleRate: 16_000 })).buffer))).toBe(true);
        expect(streams.pictures.damaged()).toBe(0);
      }
    });

    it('all fail where the reader of one goes away, and no process stays', async () => {
      const path = await makeFixture({ seconds: 6, sound: { from: 0, to: Infinity, part: false } });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      const before = livingChildren();
      const streams = backend.readAllStreams({ path, info, ...shape, skip: 'none', sampleRate: 16_000, signal: never });
      if (streams === null) return;
      const others = Promise.all([streams.packets(), gather(streams.sound ?? noSound())]);
      others.catch(() => {});
      for await (const { time } of streams.pictures) if (time >= 0) break;
      await expect(others).rejects.toThrow();
      expect(livingChildren()).toEqual(before);
    });
  });
}

async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* noSound(): AsyncGenerator<Int16Array> {
  // A file without sound.
}
