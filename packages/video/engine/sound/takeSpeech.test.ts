import { expect, it } from 'vitest';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { takeSpeech } from './takeSpeech.ts';

const rate = 16_000;

/** Sound of a voice that pauses from 110 to 112 s of each part, in pieces of a second. */
const backend = {
  async *sound({ from = 0, to = 0 }: { from?: number; to?: number }) {
    for (let second = from; second < to; second += 1) {
      const pauses = second - from >= 110 && second - from < 112;
      yield new Int16Array(Math.round(Math.min(1, to - second) * rate)).fill(pauses ? 0 : 1_000);
    }
  },
};
const take = (duration: number, from: number) =>
  takeSpeech({ backend, path: 'film.mp4', info: { duration } as MediaInfo, from, signal: new AbortController().signal });

it('ends a part of a long film where the voice pauses', async () => {
  const { wav, to } = await take(200, 0);
  expect(to).toBeGreaterThan(111.5);
  expect(to).toBeLessThan(112);
  expect(wav.length).toBe(44 + 2 * Math.round(to * rate));
});

it('takes the rest of the sound as the last part', async () => {
  const { wav, to } = await take(200, 111.9);
  expect(to).toBe(200);
  const header = Buffer.from(wav.buffer, wav.byteOffset);
  expect([header.toString('latin1', 0, 4), header.toString('latin1', 8, 16), header.readUInt32LE(24), header.readUInt32LE(40)]).toEqual(['RIFF', 'WAVEfmt ', rate, wav.length - 44]);
  expect(header.readInt16LE(44)).toBe(1_000);
});
