import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { defaultSpec } from '../clips/fixtureSpec.ts';
import { makeFixture } from '../clips/makeFixture.ts';
import { drawPicture, drawSound } from '../clips/pattern.ts';
import { describeAss } from '../../render/captionPieces.ts';
import type { PieceRequest } from '../../media/mediaBackend.ts';
import { hear, loudness, never, seePictures, type MediaUnderTest } from './mediaUnderTest.ts';

const encoding = { codec: 'h264', width: 160, height: 90, rate: { numerator: 25, denominator: 1 } } as const;

/** Tests of encoding pieces, sound, stills, animations and clips. */
export function describeEncoding(subject: () => MediaUnderTest): void {
  let made = 0;
  const output = (ending: string): string => {
    made += 1;
    return join(subject().folder, `${made}${ending}`);
  };
  const encodePiece = async (path: string, more: Partial<PieceRequest> & { from: number; frames: number }): Promise<string> => {
    const target = more.output ?? output(more.encoding?.codec === 'vp9' ? '.webm' : '.mp4');
    const info = await subject().backend.probe(path, never);
    await subject().backend.encodePiece({ path, info, encoding, output: target, signal: never, ...more });
    return target;
  };
  /** Where each frame of a cropped piece of 80 × 90 pixels lies in the source, whose frame `first` is the first frame of the piece. */
  const cropsOf = async (piece: string, source: string, first: number): Promise<number[]> => {
    const lumaOf = async (path: string, width: number): Promise<Uint8Array[]> => {
      const found: Uint8Array[] = [];
      const info = await subject().backend.probe(path, never);
      expect([info.video.width, info.video.height]).toEqual([width, 90]);
      for await (const { data } of subject().backend.pictures({ path, info, width, height: 90, format: 'yuv420p', skip: 'none', signal: never })) found.push(data);
      return found;
    };
    const whole = await lumaOf(source, 160);
    return (await lumaOf(piece, 80)).map((picture, n) => {
      const differences = Array.from({ length: 81 }, (_, offset) => cropDifference(picture, whole[first + n]!, offset));
      return differences.indexOf(Math.min(...differences));
    });
  };
  const numbers = async (path: string): Promise<number[]> => (await seePictures(subject().backend, path)).map(({ number }) => number);

  describe('a piece', () => {
    it.each([['h264', 'mp4'], ['h264', 'ts'], ['vp9', 'webm']] as const)('has exactly the asked frames, from %s in %s', async (codec, container) => {
      const path = await makeFixture({ codec, container, gop: { frames: 50, fixed: true }, sound: null });
      const seen = await seePictures(subject().backend, await encodePiece(path, { from: 0.72, frames: 13 }));
      expect(seen.map(({ number }) => number)).toEqual(Array.from({ length: 13 }, (_, n) => 18 + n));
      expect(seen.map(({ time }) => Math.round(time * 1000))).toEqual(Array.from({ length: 13 }, (_, n) => 40 * n));
    });

    it('may begin within a picture that is shown for long, and shows this picture first', async () => {
      // Frames at 0, 1, 2, 4, 6, … s.
      const path = await makeFixture({ framesPerSecond: 1, variableRate: true, seconds: 12, sound: null });
      const rate = { numerator: 10, denominator: 1 };
      const held = await encodePiece(path, { from: 4.5, shown: 4, frames: 20, encoding: { ...encoding, rate } });
      expect(await numbers(held)).toEqual(Array.from({ length: 20 }, (_, n) => (n < 15 ? 3 : 4)));
      const faded = await encodePiece(path, { from: 6, frames: 10, into: { from: 4.5, shown: 4 }, encoding: { ...encoding, rate } });
      expect(await numbers(faded)).toHaveLength(10);
    });

    it.each(['vp9', 'av1'] as const)('of %s', async (codec) => {
      expect(await subject().backend.canEncode(codec)).toBe(true);
      const path = await makeFixture({ sound: null });
      const piece = await encodePiece(path, { from: 0.4, frames: 10, encoding: { ...encoding, codec } });
      expect((await subject().backend.probe(piece, never)).video.codec).toBe(codec);
      expect(await numbers(piece)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    });

    it('has the asked size and rate, each frame showing what is nearest', async () => {
      const path = await makeFixture({ sound: null });
      const piece = await encodePiece(path, { from: 0.4, frames: 8, encoding: { ...encoding, width: 320, height: 180, rate: { numerator: 50, denominator: 4 } } });
      const { video } = await subject().backend.probe(piece, never);
      expect([video.width, video.height]).toEqual([320, 180]);
      expect(await numbers(piece)).toEqual([10, 12, 14, 16, 18, 20, 22, 24].map((number) => expect.toSatisfy((seen: number) => Math.abs(seen - number) <= 1)));
      const doubled = await encodePiece(path, { from: 0.4, frames: 6, encoding: { ...encoding, rate: { numerator: 50, denominator: 1 } } });
      const seen = await numbers(doubled);
      expect(seen[0]).toBe(10);
      expect(seen.at(-1)).toBe(12);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
    });

    it('of uneven times shows each frame until the next one comes', async () => {
      const path = await makeFixture({ variableRate: true, sound: null });
      // The source has frames at the ticks 0, 1, 2 and 4 of every 6 ticks.
      expect(await numbers(await encodePiece(path, { from: 0.24, frames: 9 }))).toEqual([4, 5, 6, 6, 7, 7, 8, 9, 10]);
    });

    it('at the end of the file repeats the last frame', async () => {
      const path = await makeFixture({ sound: null });
      expect(await numbers(await encodePiece(path, { from: 1.88, frames: 6 }))).toEqual([47, 48, 49, 49, 49, 49]);
    });

    it('that is cropped follows the path of the crop, in steps of one pixel', async () => {
      const path = await makeFixture({ sound: null });
      const cropped = { ...encoding, width: 80, scaled: { width: 160, height: 90 } };
      const moving = await encodePiece(path, { from: 0.4, frames: 10, encoding: cropped, crop: [{ frame: 0, offset: 10 }, { frame: 3, offset: 10 }, { frame: 7, offset: 31 }, { frame: 8, offset: 80 }] });
      expect(await cropsOf(moving, path, 10)).toEqual([10, 10, 10, 10, 15, 21, 26, 31, 80, 80]);
      expect(new Set(await cropsOf(await encodePiece(path, { from: 0.4, frames: 3, encoding: cropped }), path, 10))).toEqual(new Set([40]));
      const fading = await encodePiece(path, { from: 0.4, frames: 10, encoding: cropped, crop: [{ frame: 0, offset: 60 }], into: { from: 0.4, crop: [{ frame: 0, offset: 60 }] } });
      expect(new Set(await cropsOf(fading, path, 10))).toEqual(new Set([60]));
    });

    it('that is padded has black on both sides of the whole picture', async () => {
      const path = await makeFixture({ sound: null });
      const piece = await encodePiece(path, { from: 0.4, frames: 5, encoding: { ...encoding, width: 200, scaled: { width: 160, height: 90 } } });
      const info = await subject().backend.probe(piece, never);
      expect([info.video.width, info.video.height]).toEqual([200, 90]);
      for await (const { data } of subject().backend.pictures({ path: piece, info, width: 200, height: 90, format: 'yuv420p', skip: 'none', signal: never })) {
        const columns = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => meanOfColumn(data, 200, 90, from + at));
        expect(Math.max(...columns(0, 19), ...columns(181, 200))).toBeLessThan(20);
        expect(Math.min(...columns(22, 178))).toBeGreaterThan(24);
      }
    });

    it('with captions has letters at the lower edge while a subtitle lasts, and else the same pictures', async () => {
      const path = await makeFixture({ sound: null });
      const captions = output(", a:b';[c].ass");
      writeFileSync(captions, describeAss([{ start: 0.2, end: 0.4, text: 'MMMMMMMM' }], encoding));
      const plain = await encodePiece(path, { from: 0.4, frames: 15 });
      const drawn = await encodePiece(path, { from: 0.4, frames: 15, captions });
      const lower = async (piece: string): Promise<Uint8Array[]> => {
        const info = await subject().backend.probe(piece, never);
        const found: Uint8Array[] = [];
        for await (const { data } of subject().backend.pictures({ path: piece, info, width: 160, height: 90, format: 'yuv420p', skip: 'none', signal: never })) found.push(data.slice(160 * 70, 160 * 90));
        return found;
      };
      const [without, letters] = [await lower(plain), await lower(drawn)];
      const changed = letters.map((picture, n) => picture.reduce((count, value, at) => count + (Math.abs(value - without[n]![at]!) > 40 ? 1 : 0), 0));
      expect(changed.map((count) => count > 40), changed.join()).toEqual(Array.from({ length: 15 }, (_, n) => n >= 5 && n < 10));
    });

    it('that fades begins with the first place and ends near the second', async () => {
      const path = await makeFixture({ cuts: [1], sound: null });
      const piece = await encodePiece(path, { from: 0.2, frames: 10, into: { from: 1.2 } });
      const info = await subject().backend.probe(piece, never);
      const chroma: number[] = [];
      for await (const { data } of subject().backend.pictures({ path: piece, info, width: 160, height: 90, format: 'yuv420p', skip: 'none', signal: never })) {
        chroma.push(data[160 * 90 + 500]!);
      }
      expect(chroma.length).toBe(10);
      // Blue-difference chroma of the scenes: 128 + 40 cos(2.4 × scene).
      expect(Math.abs(chroma[0]! - 168)).toBeLessThan(8);
      expect(Math.abs(chroma[5]! - 133)).toBeLessThan(10);
      expect(Math.abs(chroma[9]! - 102)).toBeLessThan(12);
    });
  });

  describe('sound, stills, animations and clips', () => {
    it.each([['aac', '.m4a'], ['opus', '.webm']] as const)('sound as %s', async (codec, ending) => {
      const samplesFile = output('.pcm');
      writeFileSync(samplesFile, samplesOf(1));
      const target = output(ending);
      await subject().backend.encodeSound({ samplesFile, sampleRate: 48_000, channels: 1, codec, output: target, signal: never });
      using input = new Input({ source: new FilePathSource(target), formats: ALL_FORMATS });
      const track = await input.getPrimaryAudioTrack();
      expect(track?.codec).toBe(codec);
      expect(Math.abs(await input.computeDuration() - 1)).toBeLessThan(0.1);
    });

    it.each([['.jpg', 'ffd8ff'], ['.png', '89504e47'], ['.webp', '52494646']])('a still %s', async (ending, magic) => {
      const target = output(ending);
      const rgb = Uint8Array.from({ length: 64 * 36 * 3 }, (_, at) => (at % 3 === 0 ? 200 : 30));
      await subject().backend.encodeStill({ rgb, width: 64, height: 36, output: target, signal: never });
      expect(readFileSync(target).toString('hex').startsWith(magic)).toBe(true);
    });

    it('an animation repeats for ever and has its size', async () => {
      const path = await makeFixture({ seconds: 1, sound: null });
      const gif = output('.gif');
      await subject().backend.encodeAnimation({ path, width: 80, height: 46, framesPerSecond: 10, output: gif, signal: never });
      const bytes = readFileSync(gif);
      expect([bytes.toString('latin1', 0, 4), bytes.readUInt16LE(6), bytes.readUInt16LE(8)]).toEqual(['GIF8', 80, 46]);
      expect(bytes.includes('NETSCAPE2.0')).toBe(true);
      const webp = output('.webp');
      await subject().backend.encodeAnimation({ path, width: 80, height: 46, framesPerSecond: 10, output: webp, signal: never });
      const animated = readFileSync(webp).toString('latin1');
      expect(animated.split('ANMF').length - 1).toBeGreaterThan(5);
      // The header contains the number of repetitions; 0 means forever.
      expect(animated.slice(animated.indexOf('ANIM') + 12).startsWith('\0\0')).toBe(true);
    });

    it('a clip has the drawn pictures and sound', async () => {
      const samplesFile = output('.pcm');
      writeFileSync(samplesFile, samplesOf(1));
      const target = output('.mp4');
      const pictures = Array.from({ length: 25 }, (_, n) => drawPicture(defaultSpec, n));
      await subject().backend.encodeClip({
        width: 160, height: 90, rate: { numerator: 25, denominator: 1 }, pictures, sound: { samplesFile, sampleRate: 48_000, channels: 1 }, output: target, signal: never,
      });
      expect(await seePictures(subject().backend, target)).toEqual(Array.from({ length: 25 }, (_, n) => ({ time: n / 25, number: n })));
      expect(loudness(await hear(subject().backend, target), 0.1, 0.9)).toBeGreaterThan(1500);
      const silent = output('.mp4');
      await subject().backend.encodeClip({ width: 160, height: 90, rate: { numerator: 25, denominator: 1 }, pictures, sound: null, output: silent, signal: never });
      expect((await subject().backend.probe(silent, never)).audio).toBeNull();
      expect(statSync(silent).size).toBeLessThan(statSync(target).size);
    });
  });
}

function cropDifference(crop: Uint8Array, whole: Uint8Array, offset: number): number {
  let sum = 0;
  for (let y = 0; y < 90; y += 1) for (let x = 0; x < 80; x += 1) sum += Math.abs(crop[y * 80 + x]! - whole[y * 160 + x + offset]!);
  return sum;
}

function meanOfColumn(luma: Uint8Array, width: number, height: number, x: number): number {
  let sum = 0;
  for (let y = 0; y < height; y += 1) sum += luma[y * width + x]!;
  return sum / height;
}

function samplesOf(seconds: number): Buffer {
  const drawn = drawSound({ ...defaultSpec, sound: { from: 0, to: seconds, part: false } }, 0, 48_000 * seconds);
  return Buffer.from(Int16Array.from(drawn, (value) => Math.round(value * 32_767)).buffer);
}
