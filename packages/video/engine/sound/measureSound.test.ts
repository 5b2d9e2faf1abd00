import { describe, expect, it } from 'vitest';
import { Fourier } from './fourier.ts';
import { measureSound } from './measureSound.ts';
import { analysisSampleRate as rate, melBands, type SoundTrack } from './soundTrack.ts';

type Wave = (time: number) => number;

const measure = (seconds: number, wave: Wave, chunk = 4096): Promise<SoundTrack> => {
  const samples = Int16Array.from({ length: Math.round(seconds * rate) }, (_, index) => Math.round(32_767 * Math.max(-1, Math.min(1, wave(index / rate)))));
  const chunks: Int16Array[] = [];
  for (let from = 0; from < samples.length; from += chunk) chunks.push(samples.subarray(from, from + chunk));
  return measureSound(chunks);
};
const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
/** White noise that depends only on the time. */
const noise: Wave = (time) => {
  let mixed = Math.imul(Math.round(time * rate) + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 31 - 1;
};

/** A synthetic voice: pulses at a gliding pitch through two resonances, in words of 0.4 s with pauses of 0.2 s. */
function voice(): Wave {
  const state = [[0, 0], [0, 0]];
  const resonances = [[600, 90], [1700, 140]].map(([hertz, width]) => {
    const radius = Math.exp((-Math.PI * width!) / rate);
    return [2 * radius * Math.cos((2 * Math.PI * hertz!) / rate), -radius * radius];
  });
  let phase = 0;
  return (time) => {
    const local = time % 0.6;
    phase += (130 + 20 * Math.sin(time * 3)) / rate;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    const sounds = resonances.map(([a, b], index) => {
      const value = pulse + a! * state[index]![0]! + b! * state[index]![1]!;
      state[index] = [value, state[index]![0]!];
      return value;
    });
    const syllable = local < 0.4 ? Math.sin((Math.PI * (local % 0.2)) / 0.2) ** 0.5 : 0;
    return 0.04 * syllable * (sounds[0]! + 0.5 * sounds[1]!) + 0.0005 * noise(time);
  };
}

describe('the Fourier transform', () => {
  it('gives the powers of the definition', () => {
    const length = 32;
    const signal = Float64Array.from({ length }, (_, index) => Math.sin(index * 1.3) + 0.4 * Math.cos(index * index));
    const power = new Float64Array(length / 2 + 1);
    new Fourier(length).power(signal, power);
    for (let bin = 0; bin <= length / 2; bin++) {
      let real = 0;
      let imaginary = 0;
      for (let index = 0; index < length; index++) {
        real += signal[index]! * Math.cos((2 * Math.PI * bin * index) / length);
        imaginary -= signal[index]! * Math.sin((2 * Math.PI * bin * index) / length);
      }
      expect(power[bin]).toBeCloseTo(real * real + imaginary * imaginary, 8);
    }
  });

  it('refuses lengths that are no powers of two', () => {
    expect(() => new Fourier(48)).toThrow('48 is not a power of two');
  });
});

describe('the sound track', () => {
  it('has a value per 20 ms and a spectrum per half second, also at the end', async () => {
    const { loudness, onset, speech, spectra } = await measure(1.73, () => 0);
    expect([loudness.length, onset.length, speech.length]).toEqual([87, 87, 87]);
    expect(spectra.length).toBe(4 * melBands);
    expect(Math.max(...loudness)).toBe(-90);
    expect(Math.max(...speech)).toBe(0);
  });

  it('is empty for no sound', async () => {
    expect((await measureSound([])).loudness.length).toBe(0);
  });

  it('tells the loudness of a tone and where it lies in the spectrum', async () => {
    const { loudness, spectra } = await measure(1, (time) => 0.1 * Math.sin(2 * Math.PI * 1000 * time));
    expect(mean(loudness)).toBeCloseTo(-23, 1);
    const first = Array.from(spectra.subarray(0, melBands));
    const loudest = first.indexOf(Math.max(...first));
    // 1,000 Hz is 1,000 mel; the 20 bands are spaced evenly between 122 and 2,787 mel.
    expect(loudest).toBe(Math.round((1000 - 122) / ((2787 - 122) / 21)) - 1);
  });

  it('does not depend on how the samples are cut into chunks', async () => {
    const wave = voice();
    const samples = Float64Array.from({ length: 3 * rate }, (_, index) => wave(index / rate));
    const same: Wave = (time) => samples[Math.round(time * rate)]!;
    const whole = await measure(3, same, 3 * rate);
    for (const chunk of [1, 777, 65_536]) expect(await measure(3, same, chunk)).toEqual(whole);
  });

  it('has its strongest onset where something begins', async () => {
    const { onset } = await measure(2, (time) => (time < 1.2 ? 0 : 0.5 * Math.sin(2 * Math.PI * 440 * time)));
    const strongest = onset.indexOf(Math.max(...onset));
    expect(Math.abs(strongest * 0.02 - 1.2)).toBeLessThanOrEqual(0.03);
  });
});

describe('likeness to a voice', () => {
  it('is high in words and low in the pauses between them', async () => {
    const { speech } = await measure(6, voice());
    const at = (from: number, to: number): number[] =>
      Array.from(speech).filter((_, index) => index > 50 && index < 250 && (index * 0.02) % 0.6 >= from && (index * 0.02) % 0.6 < to);
    const average = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(average(at(0.06, 0.34))).toBeGreaterThan(0.8);
    expect(average(at(0.46, 0.56))).toBeLessThan(0.2);
  });

  it.each<[string, Wave]>([
    ['noise', (time) => 0.2 * noise(time)],
    ['a hum', (time) => 0.2 * (Math.sin(2 * Math.PI * 100 * time) + 0.5 * Math.sin(2 * Math.PI * 200 * time))],
    ['chords', (time) => {
      const root = [220, 277.2, 329.6][Math.floor(time) % 3]!;
      return 0.1 * (0.7 + 0.3 * Math.exp(-(time % 0.5) * 4)) * (Math.sin(2 * Math.PI * root * time) + Math.sin(2 * Math.PI * root * 1.5 * time));
    }],
    ['blows', (time) => 0.4 * noise(time) * Math.exp(-(time % 0.27) * 12)],
  ])('is low for %s', async (_, wave) => {
    expect(mean((await measure(6, wave)).speech)).toBeLessThan(0.25);
  });
});
