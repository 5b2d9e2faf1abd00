import { describe, expect, it } from 'vitest';
import { defaultSpec, frameCount, frameTime, type FixtureSpec } from '../clips/fixtureSpec.ts';
import { makeFixture } from '../clips/makeFixture.ts';
import type { Picture } from '../../media/mediaBackend.ts';
import { isLit } from '../clips/pattern.ts';
import { livingChildren, never, seePictures, type MediaUnderTest } from './mediaUnderTest.ts';

const short = { seconds: 1, gop: { frames: 10, fixed: true } } satisfies Partial<FixtureSpec>;

/** FFmpeg's name of the container for each file ending. */
const containers = { mp4: 'mp4', mov: 'mov', mkv: 'matroska', webm: 'webm', ts: 'mpegts', avi: 'avi', gif: 'gif' } as const;

const combinations: readonly (readonly [FixtureSpec['codec'] & string, FixtureSpec['container'], Partial<FixtureSpec>])[] = [
  ['h264', 'mp4', {}], ['h264', 'mov', {}], ['h264', 'mkv', {}], ['h264', 'ts', {}], ['h264', 'avi', { bFrames: 0 }],
  ['hevc', 'mp4', {}], ['hevc', 'mkv', {}], ['vp8', 'webm', {}], ['vp9', 'webm', {}], ['vp9', 'mp4', {}],
  ['av1', 'mp4', {}], ['av1', 'webm', {}], ['mpeg4', 'avi', { bFrames: 0 }],
];

/** Tolerance of times, seconds, because some containers round times to milliseconds. */
const tolerance = 0.0011;

function expectFrames(seen: readonly { time: number; number: number }[], spec: FixtureSpec, first = 0): void {
  expect(seen.map(({ number }) => number)).toEqual(Array.from({ length: frameCount(spec) - first }, (_, n) => n + first));
  for (const { time, number } of seen) expect(Math.abs(time - (frameTime(spec, number) - frameTime(spec, first)))).toBeLessThan(tolerance);
}

/** Tests of facts, packets and pictures. */
export function describeReading(subject: () => MediaUnderTest): void {
  describe('reading', () => {
    it.each(combinations)('%s in %s: facts, packets and every frame with its own time', async (codec, container, more) => {
      const spec = { ...defaultSpec, ...short, codec, container, sound: null, ...more };
      const path = await makeFixture(spec);
      const { backend } = subject();
      const info = await backend.probe(path, never);
      expect(info).toMatchObject({
        container: containers[container],
        audio: null,
        video: { codec, width: 160, height: 90, rotation: 0, variableFrameRate: false, bitDepth: 8, highDynamicRange: false },
      });
      expect(info.video.frameRate.numerator / info.video.frameRate.denominator).toBeCloseTo(25, 1);
      expect(Math.abs(info.duration - 1)).toBeLessThan(0.1);
      const seen = await seePictures(backend, path, { info });
      expectFrames(seen, spec);
      const packets = await backend.packets(path, info, never);
      expect([...packets.times]).toEqual(seen.map(({ time }) => time));
      expect([...packets.keys].flatMap((key, at) => (key ? [at] : []))).toEqual([0, 10, 20]);
      expect(packets.sizes.every((size) => size > 0)).toBe(true);
    });

    it('gif: every frame with its own time, from any time on, with one key frame', async () => {
      const spec = { ...defaultSpec, codec: 'gif', container: 'gif', sound: null, cuts: [1], variableRate: true } as const;
      const path = await makeFixture(spec);
      const { backend } = subject();
      const info = await backend.probe(path, never);
      expect(info).toMatchObject({ container: 'gif', audio: null, video: { codec: 'gif', width: 160, height: 90 } });
      expect(Math.abs(info.duration - 2)).toBeLessThan(0.1);
      for (const skip of ['none', 'non-key'] as const) expectFrames(await seePictures(backend, path, { info, skip }), spec);
      const { times, keys } = await backend.packets(path, info, never);
      expect(times.length).toBe(frameCount(spec));
      expect([...keys].indexOf(1)).toBe(0);
      const seen = await seePictures(backend, path, { info, from: times[20]!, to: times[23]! });
      expect(seen).toEqual([20, 21, 22].map((number) => ({ time: times[number], number })));
    });

    it('a clip with sound, its facts and a length near that of its frames', async () => {
      const info = await subject().backend.probe(await makeFixture(), never);
      expect(info.audio).toMatchObject({ codec: 'aac', sampleRate: 48_000, channels: 1 });
      expect(Math.abs(info.duration - 2)).toBeLessThan(0.1);
    });

    it('a rotated picture comes upright, and its size is that of what is shown', async () => {
      for (const rotation of [90, 270] as const) {
        const spec = { ...defaultSpec, ...short, width: 90, height: 160, rotation };
        const path = await makeFixture(spec);
        const info = await subject().backend.probe(path, never);
        expect(info.video).toMatchObject({ width: 90, height: 160, rotation });
        expectFrames(await seePictures(subject().backend, path, { info }), spec);
      }
    });

    it('the timecode of the first frame is told, and none where the file has none', async () => {
      const timecodeOf = async (spec: Partial<FixtureSpec>): Promise<string | undefined> => (await subject().backend.probe(await makeFixture({ ...short, ...spec }), never)).video.timecode;
      expect(await timecodeOf({ container: 'mov', timecode: '10:00:20:05' })).toBe('10:00:20:05');
      expect(await timecodeOf({ container: 'mov' })).toBeUndefined();
    });

    it('10 bits are told and delivered as 8', async () => {
      const spec = { ...defaultSpec, ...short, codec: 'hevc', tenBit: true } as const;
      const path = await makeFixture(spec);
      const info = await subject().backend.probe(path, never);
      expect(info.video.bitDepth).toBe(10);
      expectFrames(await seePictures(subject().backend, path, { info }), spec);
    });

    it.each(['mp4', 'mkv'] as const)('uneven times stay what they are, in %s', async (container) => {
      const spec = { ...defaultSpec, container, variableRate: true, sound: null };
      const path = await makeFixture(spec);
      const info = await subject().backend.probe(path, never);
      // The header of Matroska contains only a mean rate.
      if (container === 'mp4') expect(info.video.variableFrameRate).toBe(true);
      const seen = await seePictures(subject().backend, path, { info });
      expectFrames(seen, spec);
      expect([...(await subject().backend.packets(path, info, never)).times]).toEqual(seen.map(({ time }) => time));
    });

    it.each(['ts', 'mkv'] as const)('a file whose clock begins late counts from its own start, in %s', async (container) => {
      const spec = { ...defaultSpec, ...short, container, startAt: 30, sound: null };
      const path = await makeFixture(spec);
      const info = await subject().backend.probe(path, never);
      expect(info.start).toBeGreaterThan(29);
      expectFrames(await seePictures(subject().backend, path, { info }), spec);
    });

    it.each(['mp4', 'mov'] as const)('what an edit list leaves out is neither a packet nor a picture, in %s', async (container) => {
      const spec = { ...defaultSpec, container, trimmed: 0.4, sound: null };
      const path = await makeFixture(spec);
      const info = await subject().backend.probe(path, never);
      const seen = await seePictures(subject().backend, path, { info });
      expectFrames(seen, spec, 10);
      expect([...(await subject().backend.packets(path, info, never)).times]).toEqual(seen.map(({ time }) => time));
    });

    it('a cover is not the video', async () => {
      const spec = { ...defaultSpec, ...short, cover: true };
      const path = await makeFixture(spec);
      expectFrames(await seePictures(subject().backend, path), spec);
      await expect(subject().backend.probe(await makeFixture({ codec: null, cover: true }), never))
        .rejects.toMatchObject({ code: 'no-video-stream' });
      await expect(subject().backend.probe(await makeFixture({ codec: null }), never)).rejects.toMatchObject({ code: 'no-video-stream' });
    });
  });

  describe('parts of a file', () => {
    it.each([['h264', 'mp4'], ['h264', 'ts'], ['vp9', 'webm'], ['hevc', 'mkv']] as const)('are exact to the frame, %s in %s', async (codec, container) => {
      const path = await makeFixture({ codec, container, gop: { frames: 50, fixed: true }, sound: null });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      const { times } = await backend.packets(path, info, never);
      for (const [first, end] of [[0, 3], [1, 2], [17, 31], [46, 50]] as const) {
        const seen = await seePictures(backend, path, { info, from: times[first]!, ...(end < 50 ? { to: times[end]! } : {}) });
        expect(seen).toEqual(Array.from({ length: end - first }, (_, n) => ({ time: times[first + n], number: first + n })));
      }
      // `from` is between two frames, so the later frame is the first.
      expect((await seePictures(backend, path, { info, from: 0.5, to: 0.6 })).map(({ number }) => number)).toEqual([13, 14]);
    });

    it('end at the last frame before a time between two frames, also where the file counts in frames', async () => {
      const path = await makeFixture({ codec: 'mpeg4', container: 'avi', bFrames: 0, sound: null });
      for (const extra of [{ from: 0.5, to: 0.57 }, { stretches: [{ from: 0.1, to: 0.13 }, { from: 0.5, to: 0.57 }] }]) {
        const seen = await seePictures(subject().backend, path, extra);
        expect(seen.map(({ number }) => number)).toEqual([...('stretches' in extra ? [3] : []), 13, 14]);
      }
    });

    it.each([['h264', 'mp4'], ['h264', 'ts'], ['vp9', 'webm']] as const)('several of them come in one answer, each exact, %s in %s', async (codec, container) => {
      const path = await makeFixture({ codec, container, gop: { frames: 20, fixed: true }, sound: null });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      const { times } = await backend.packets(path, info, never);
      const parts = [[0, 2], [5, 6], [9, 12], [19, 21], [23, 24], [30, 31], [33, 35], [46, 49]] as const;
      for (const count of [0, 1, 3, 8]) {
        const some = parts.slice(0, count);
        const seen = await seePictures(backend, path, { info, stretches: some.map(([first, end]) => ({ from: times[first]!, to: times[end]! })) });
        expect(seen.map(({ number }) => number)).toEqual(some.flatMap(([first, end]) => Array.from({ length: end - first }, (_, n) => first + n)));
        for (const { time, number } of seen) expect(Math.abs(time - times[number]!)).toBeLessThan(2e-6);
      }
      const fromKeys = await seePictures(backend, path, { info, stretches: [[0, 2], [20, 23], [40, 42]].map(([first, end]) => ({ from: times[first!]!, to: times[end!]!, fromKey: true })) });
      expect(fromKeys.map(({ number }) => number)).toEqual([0, 1, 20, 21, 22, 40, 41]);
    });

    it.each([['h264', 'mp4'], ['hevc', 'mkv'], ['vp8', 'webm'], ['vp9', 'webm'], ['vp9', 'mp4'], ['av1', 'mp4'], ['av1', 'webm']] as const)(
      'key frames alone, %s in %s', async (codec, container) => {
        const path = await makeFixture({ codec, container, gop: { frames: 10, fixed: true }, sound: null });
        const seen = await seePictures(subject().backend, path, { skip: 'non-key' });
        expect(seen.map(({ number }) => number)).toEqual([0, 10, 20, 30, 40]);
        for (const { time, number } of seen) expect(Math.abs(time - number / 25)).toBeLessThan(tolerance);
      });

    it.each(['h264', 'mpeg4'] as const)('key frames alone or without B-frames, each with the time that it has among all frames, %s in avi, which stores no order', async (codec) => {
      const path = await makeFixture({ codec, container: 'avi', gop: { frames: 10, fixed: true }, sound: null });
      const times = new Map((await seePictures(subject().backend, path)).map(({ time, number }) => [number, time]));
      for (const skip of ['non-key', 'bidirectional'] as const) {
        const seen = await seePictures(subject().backend, path, { skip });
        expect(seen.length).toBeGreaterThan(3);
        expect(seen).toEqual(seen.map(({ number }) => ({ time: times.get(number), number })));
      }
    });

    it.each(['h264', 'mpeg4'] as const)('key frames alone where no frame is out of order, %s in avi', async (codec) => {
      const path = await makeFixture({ codec, container: 'avi', bFrames: 0, gop: { frames: 10, fixed: true }, sound: null });
      const seen = await seePictures(subject().backend, path, { skip: 'non-key' });
      expect(seen.map(({ number }) => number)).toEqual([0, 10, 20, 30, 40]);
      for (const { time, number } of seen) expect(Math.abs(time - number / 25)).toBeLessThan(tolerance);
    });

    it('without B-frames: fewer, each with its own time', async () => {
      const path = await makeFixture({ gop: { frames: 50, fixed: true }, bFrames: 3, sound: null });
      for (const skip of ['bidirectional', 'non-reference'] as const) {
        const seen = await seePictures(subject().backend, path, { skip });
        expect(seen.length).toBeGreaterThan(5);
        expect(seen.length).toBeLessThan(45);
        for (const { time, number } of seen) expect(time).toBeCloseTo(number / 25, 6);
      }
    });

    it('without the loop filter of frames that no other frame refers to: every frame, hardly another picture', async () => {
      const path = await makeFixture({ gop: { frames: 50, fixed: true }, bFrames: 3, sound: null });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      const read = async (skip: 'none' | 'loop-filter'): Promise<Picture[]> => {
        const pictures: Picture[] = [];
        for await (const picture of backend.pictures({ path, info, width: 96, height: 54, format: 'yuv420p', skip, signal: never })) pictures.push(picture);
        return pictures;
      };
      const [filtered, unfiltered] = [await read('none'), await read('loop-filter')];
      expect(unfiltered.map(({ time }) => time)).toEqual(filtered.map(({ time }) => time));
      unfiltered.forEach(({ data }, number) => {
        const difference = data.reduce((sum, value, at) => sum + Math.abs(value - filtered[number]!.data[at]!), 0) / data.length;
        expect(difference).toBeLessThan(0.5);
      });
    });

    it('in another size and as packed RGB', async () => {
      const path = await makeFixture({ ...short, beeps: [0.4], sound: null });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      const lit: number[] = [];
      for await (const { time, data } of backend.pictures({ path, info, width: 40, height: 22, format: 'rgb24', skip: 'none', signal: never })) {
        expect(data.length).toBe(40 * 22 * 3);
        if (isLit(data.filter((_, at) => at % 3 === 1), 40, 22)) lit.push(time);
      }
      expect(lit).toEqual([0.4]);
    });

    it.skipIf(process.platform !== 'linux')('whoever stops listening leaves no process behind', async () => {
      const path = await makeFixture({ sound: null });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      const before = livingChildren();
      let seen = 0;
      for await (const picture of backend.pictures({ path, info, width: 160, height: 90, format: 'yuv420p', skip: 'none', signal: never })) {
        expect(picture.data.length).toBe(160 * 90 * 1.5);
        seen += 1;
        if (seen === 3) break;
      }
      expect(seen).toBe(3);
      expect(livingChildren().filter((pid) => !before.includes(pid))).toEqual([]);
    });
  });
}
