import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { describe, expect, it } from 'vitest';
import { corrupted, truncated } from '../clips/damage.ts';
import { makeFixture } from '../clips/makeFixture.ts';
import { livingChildren, never, seePictures, type MediaUnderTest } from './mediaUnderTest.ts';

/** Tests of damaged files, limits and aborts. */
export function describeFaults(subject: () => MediaUnderTest): void {
  describe('damaged media', () => {
    it.each([['h264', 'mkv'], ['h264', 'ts'], ['h264', 'mp4'], ['vp9', 'webm']] as const)('noise in the middle is counted and got over, %s in %s', async (codec, container) => {
      const path = corrupted(await makeFixture({ codec, container, seconds: 4, gop: { frames: 10, fixed: true }, sound: null, indexFirst: true }));
      const { backend } = subject();
      const info = await backend.probe(path, never);
      const pictures = backend.pictures({ path, info, width: 160, height: 90, format: 'yuv420p', skip: 'none', signal: never });
      const times: number[] = [];
      for await (const { time } of pictures) times.push(time);
      expect(pictures.damaged()).toBeGreaterThan(0);
      expect(times[0]).toBeLessThan(0.1);
      expect(times.at(-1)).toBeGreaterThan(3.5);
      expect(times.every((time, at) => at === 0 || time > times[at - 1]!)).toBe(true);
    });

    it('a piece of a damaged part shows the pictures that can be decoded', async () => {
      const path = corrupted(await makeFixture({ container: 'mp4', seconds: 12, gop: { frames: 10, fixed: true }, sound: null, indexFirst: true }), 0.4, 0.7);
      const { backend, folder } = subject();
      const output = join(folder, 'damaged-piece.mp4');
      const encoding = { codec: 'h264', width: 160, height: 90, rate: { numerator: 25, denominator: 1 } } as const;
      await backend.encodePiece({ path, info: await backend.probe(path, never), encoding, from: 5.2, frames: 20, output, signal: never });
      expect((await seePictures(backend, output)).length).toBe(20);
    });

    it('a file without damage counts none', async () => {
      const path = await makeFixture();
      const { backend } = subject();
      const pictures = backend.pictures({ path, info: await backend.probe(path, never), width: 160, height: 90, format: 'yuv420p', skip: 'none', signal: never });
      for await (const picture of pictures) expect(picture.data.length).toBe(160 * 90 * 1.5);
      expect(pictures.damaged()).toBe(0);
    });

    it('half a file gives its half', async () => {
      for (const container of ['mkv', 'ts'] as const) {
        const path = truncated(await makeFixture({ container, seconds: 4, gop: { frames: 10, fixed: true }, sound: null }), 0.5);
        const seen = await seePictures(subject().backend, path);
        expect(seen.length).toBeGreaterThan(30);
        expect(seen.length).toBeLessThan(75);
      }
    });

    it('without its index an mp4 is refused with a sentence that names the file and no folder', async () => {
      const path = truncated(await makeFixture({ indexFirst: false }), 0.5);
      const error: unknown = await subject().backend.probe(path, never).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'damaged-media' });
      if (!(error instanceof Problem)) throw error;
      expect(error.detail).toContain(basename(path));
      expect(error.detail).not.toContain('/');
    });

    it('what is no media is refused before a decoder sees it', async () => {
      const { backend, folder } = subject();
      const cases: [string, string, string][] = [
        ['empty.mp4', '', 'media-empty'],
        ['page.mp4', '<!doctype html><html><body>no video</body></html>', 'not-media'],
        ['live.mp4', '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n', 'playlist-refused'],
        ['script.mp4', 'ffconcat version 1.0\nfile neighbour.mp4\n', 'playlist-refused'],
      ];
      for (const [name, text, code] of cases) {
        const path = join(folder, name);
        writeFileSync(path, text);
        await expect(backend.probe(path, never)).rejects.toMatchObject({ code });
      }
    });

    it('a name with colons, blanks, quotes and a dash is only a name', async () => {
      const path = join(subject().folder, "-i concat:a|b, 'c' %03d.mp4");
      copyFileSync(await makeFixture({ seconds: 1, sound: null }), path);
      expect((await seePictures(subject().backend, path)).length).toBe(25);
    });
  });

  describe('limits', () => {
    it('pictures over the limit are refused by the probe', async () => {
      const small = await subject().withLimits({ pixels: 160 * 90 - 1 });
      for (const container of ['mp4', 'ts'] as const) {
        await expect(small.probe(await makeFixture({ container }), never)).rejects.toMatchObject({ code: 'picture-too-large' });
      }
    });

    it('a child over its time is stopped, with the reason', async () => {
      const hurried = await subject().withLimits({ wallMs: 500 });
      const clip = hurried.encodeClip({
        width: 160, height: 90, rate: { numerator: 25, denominator: 1 }, pictures: endless(), sound: null,
        output: join(subject().folder, 'slow.mp4'), signal: never,
      });
      await expect(clip).rejects.toMatchObject({ code: 'media-limit' });
    });

    it('a child over its processor time is stopped, with the reason', async () => {
      const busy = await subject().withLimits({ cpuSeconds: 1 });
      const path = await makeFixture({ sound: null });
      const piece = busy.encodePiece({
        path, info: await busy.probe(path, never), from: 0, frames: 1_000_000, encoding: { codec: 'h264', width: 640, height: 360, rate: { numerator: 25, denominator: 1 } },
        output: join(subject().folder, 'busy.mp4'), signal: never,
      });
      await expect(piece).rejects.toMatchObject({ code: 'media-limit', detail: expect.stringContaining('processor time') as string });
    });

    it('a child over its memory is stopped, with the reason', async () => {
      const narrow = await subject().withLimits({ memoryBytes: 300e6 });
      const picture = new Uint8Array(8000 * 8000 * 1.5);
      const clip = narrow.encodeClip({
        width: 8000, height: 8000, rate: { numerator: 25, denominator: 1 }, pictures: Array.from({ length: 8 }, () => picture), sound: null,
        output: join(subject().folder, 'large.mp4'), signal: never,
      });
      await expect(clip).rejects.toMatchObject({ code: 'media-limit', detail: expect.stringContaining('memory') as string });
    });

    it('a file over the limit of disk is not written', async () => {
      const path = await makeFixture({ sound: null });
      const info = await subject().backend.probe(path, never);
      const narrow = await subject().withLimits({ diskBytes: 1024 });
      const piece = narrow.encodePiece({
        path, info, from: 0, frames: 50, encoding: { codec: 'h264', width: 320, height: 180, rate: { numerator: 25, denominator: 1 } },
        output: join(subject().folder, 'too-large.mp4'), signal: never,
      });
      await expect(piece).rejects.toMatchObject({ code: 'media-limit' });
    });
  });

  describe.skipIf(process.platform !== 'linux')('an abort', () => {
    it('ends every kind of work with its own reason and leaves no process', async () => {
      const path = await makeFixture({ seconds: 4 });
      const { backend, folder } = subject();
      const info = await backend.probe(path, never);
      const before = livingChildren();
      const reason = new Error('nobody wants it any more');
      const controllers = [0, 1, 2].map(() => new AbortController());
      const [first, second, third] = controllers.map(({ signal }) => signal) as [AbortSignal, AbortSignal, AbortSignal];
      const works = [
        (async () => {
          for await (const { time } of backend.pictures({ path, info, width: 640, height: 360, format: 'rgb24', skip: 'none', signal: first })) {
            if (time > 0.1) controllers[0]?.abort(reason);
          }
        })(),
        backend.encodeClip({ width: 160, height: 90, rate: { numerator: 25, denominator: 1 }, pictures: endless(), sound: null, output: join(folder, 'endless.mp4'), signal: second }),
        backend.encodePiece({ path, info, from: 0, frames: 1_000_000, encoding: { codec: 'h264', width: 160, height: 90, rate: { numerator: 25, denominator: 1 } }, output: join(folder, 'long.mp4'), signal: third }),
      ];
      const settled = Promise.allSettled(works);
      await works[0]?.catch(() => {});
      for (const controller of controllers) controller.abort(reason);
      for (const result of await settled) expect(result).toEqual({ status: 'rejected', reason });
      expect(livingChildren().filter((pid) => !before.includes(pid))).toEqual([]);
    });

    it('before the beginning starts nothing', async () => {
      const path = await makeFixture();
      const reason = new Error('too late');
      await expect(subject().backend.probe(path, AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}

function* endless(): Generator<Uint8Array> {
  for (;;) yield new Uint8Array(160 * 90 * 1.5);
}
