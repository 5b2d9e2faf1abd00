import { describe, expect, it } from 'vitest';
import { makeFixture } from '../clips/makeFixture.ts';
import { hear, loudness, never, type MediaUnderTest } from './mediaUnderTest.ts';

/** Start time of the beep of 1 kHz, seconds: the first sample that is louder than the tone can be. */
function firstBeep(samples: Int16Array): number {
  return samples.findIndex((sample) => Math.abs(sample) > 10_000) / 48_000;
}

/** Tests of decoding sound. */
export function describeSound(subject: () => MediaUnderTest): void {
  describe('sound', () => {
    it('a silent file gives none', async () => {
      expect((await hear(subject().backend, await makeFixture({ sound: null }))).length).toBe(0);
    });

    it.each([['h264', 'mp4'], ['h264', 'ts'], ['vp9', 'webm'], ['h264', 'mkv']] as const)(
      'lies where it was put, %s in %s', async (codec, container) => {
        const samples = await hear(subject().backend, await makeFixture({ codec, container, beeps: [1.2] }));
        expect(Math.abs(samples.length / 48_000 - 2)).toBeLessThan(0.06);
        expect(loudness(samples, 0.2, 1)).toBeGreaterThan(1500);
        // Only mp4 contains the number of samples that the encoder added before the first sample; AAC adds 1,024.
        expect(Math.abs(firstBeep(samples) - 1.2)).toBeLessThan(container === 'mp4' ? 0.002 : 0.025);
      });

    it.each(['mp4', 'mkv'] as const)('is that of the default track, after another track in %s', async (container) => {
      const samples = await hear(subject().backend, await makeFixture({ container, commentary: true }));
      expect(loudness(samples, 0.2, 1)).toBeGreaterThan(1500);
    });

    it('that begins late and ends early has silence before, and after where an end is asked for', async () => {
      for (const container of ['mp4', 'mkv'] as const) {
        const path = await makeFixture({ container, sound: { from: 0.6, to: 1.3, part: true } });
        const samples = await hear(subject().backend, path, { from: 0, to: 2 });
        expect(samples.length).toBe(96_000);
        expect(loudness(samples, 0, 0.5)).toBeLessThan(30);
        expect(loudness(samples, 0.7, 1.2)).toBeGreaterThan(1500);
        expect(loudness(samples, 1.5, 2)).toBeLessThan(30);
      }
    });

    it('of a part is, sample by sample, that of the whole', async () => {
      const path = await makeFixture({ seconds: 3, beeps: [1.5] });
      const whole = await hear(subject().backend, path);
      const part = await hear(subject().backend, path, { from: 1.25, to: 2.125 });
      expect(part.length).toBe(42_000);
      const worst = part.reduce((most, sample, at) => Math.max(most, Math.abs(sample - whole[60_000 + at]!)), 0);
      // AAC fills some bands with noise that depends on where decoding started; an offset of one sample would differ by 2,500
      // at the beep.
      expect(worst).toBeLessThanOrEqual(300);
    });

    it('comes at the asked rate and with the asked channels', async () => {
      const path = await makeFixture();
      const mono = await hear(subject().backend, path, { sampleRate: 16_000 });
      const stereo = await hear(subject().backend, path, { sampleRate: 16_000, channels: 2 });
      expect(Math.abs(mono.length - 32_000)).toBeLessThan(1000);
      expect(stereo.length).toBe(2 * mono.length);
      expect(stereo.every((sample, at) => at % 2 === 0 || sample === stereo[at - 1])).toBe(true);
    });

    it('stays in step with the pictures where the file begins with either', async () => {
      const path = await makeFixture({ container: 'ts', beeps: [1], startAt: 12 });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      let lit = -1;
      for await (const { time, data } of backend.pictures({ path, info, width: 160, height: 90, format: 'yuv420p', skip: 'none', signal: never })) {
        if (lit < 0 && data[45 * 160 + 80]! > 140) lit = time;
      }
      expect(lit).toBeGreaterThan(0.9);
      expect(Math.abs(firstBeep(await hear(backend, path, { info })) - lit)).toBeLessThan(0.025);
    });
  });
}
