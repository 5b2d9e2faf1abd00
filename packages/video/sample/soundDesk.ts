import { seededRandom } from '@vouch/platform/process/seededRandom';

/** Sample rate of the clip's sound, Hz; mono. */
export const clipSampleRate = 16_000;

type Random = () => number;

/** Mixes the sounds of the scenes; sounds at the same time are added. */
export class SoundDesk {
  readonly samples: Float32Array;

  constructor(seconds: number) {
    this.samples = new Float32Array(Math.ceil(seconds * clipSampleRate));
  }

  /** Adds a sound of `seconds` at time `start` (seconds). `wave` returns the amplitude at a time since the start, seconds. */
  add(start: number, seconds: number, wave: (time: number) => number): void {
    const from = Math.round(start * clipSampleRate);
    const count = Math.min(Math.round(seconds * clipSampleRate), this.samples.length - from);
    for (let index = 0; index < count; index += 1) this.samples[from + index]! += wave(index / clipSampleRate);
  }

  /** Returns the mix as signed 16-bit little-endian samples. */
  toBytes(): Uint8Array {
    const out = Int16Array.from(this.samples, (value) => Math.max(-32_767, Math.min(32_767, Math.round(Math.tanh(value) * 32_000))));
    return new Uint8Array(out.buffer);
  }

  hum(start: number, seconds: number, hertz: number, loudness: number): void {
    this.add(start, seconds, (time) => loudness * (Math.sin(2 * Math.PI * hertz * time) + 0.4 * Math.sin(4 * Math.PI * hertz * time)));
  }

  /** Adds noise whose brightness and loudness follow a slow wave, such as wind, sea or rain. */
  rush(start: number, seconds: number, loudness: number, swing: (time: number) => number, seed: number): void {
    const random = seededRandom(seed).uniform;
    let value = 0;
    this.add(start, seconds, (time) => {
      const level = swing(time);
      value += (0.15 + 0.5 * level) * (random() * 2 - 1 - value);
      return loudness * level * value;
    });
  }

  /** Adds a bang: noise and a falling tone that fade out. */
  bang(start: number, loudness: number, seconds: number, hertz: number, seed: number): void {
    const random = seededRandom(seed).uniform;
    this.add(start, seconds, (time) => {
      const fade = Math.exp((-5 * time) / seconds);
      return loudness * fade * (0.6 * (random() * 2 - 1) + Math.sin(2 * Math.PI * hertz * time * Math.exp(-time / seconds)));
    });
  }

  /**
   * Adds synthetic speech: voice pulses through three resonances that change with each syllable, about four syllables per
   * second, with a short pause after each sentence.
   * @returns function of the time since the start (seconds): how far the mouth is open, 0–1
   */
  talk(start: number, seconds: number, loudness: number, seed: number): (time: number) => number {
    const syllables = planSyllables(seconds, seededRandom(seed).uniform);
    const random = seededRandom(seed + 1).uniform;
    for (const syllable of syllables) this.add(start + syllable.at, syllable.seconds, vowel(syllable, loudness, random));
    return (time) => {
      const syllable = syllables.find(({ at, seconds: length }) => time >= at && time < at + length);
      return syllable === undefined ? 0 : Math.sin((Math.PI * (time - syllable.at)) / syllable.seconds);
    };
  }
}

interface Syllable {
  at: number;
  seconds: number;
  pitch: number;
  formants: readonly number[];
}

/** Formants of spoken a, e, i, o, u, Hz (Peterson and Barney 1952, men, rounded). */
const vowels = [[730, 1090, 2440], [530, 1840, 2480], [270, 2290, 3010], [570, 840, 2410], [300, 870, 2240]];
const bandwidths = [80, 110, 160];

function planSyllables(seconds: number, random: Random): Syllable[] {
  const syllables: Syllable[] = [];
  let at = 0.15;
  while (at < seconds - 0.5) {
    const count = 5 + Math.floor(random() * 6);
    for (let index = 0; index < count && at < seconds - 0.4; index += 1) {
      const length = 0.14 + 0.12 * random();
      // The pitch falls towards the end of a sentence.
      syllables.push({ at, seconds: length, pitch: 128 - (34 * index) / count + 8 * random(), formants: vowels[Math.floor(random() * vowels.length)]! });
      at += length + 0.02 + 0.05 * random();
    }
    at += 0.35 + 0.3 * random();
  }
  return syllables;
}

function vowel({ seconds, pitch, formants }: Syllable, loudness: number, random: Random): (time: number) => number {
  const filters = formants.map((hertz, index) => resonator(hertz, bandwidths[index]!));
  let phase = 0;
  return (time) => {
    phase += pitch / clipSampleRate;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    // A short noise at the start imitates a consonant.
    const source = pulse + (time < 0.04 ? 0.25 * (random() - 0.5) : 0);
    const envelope = Math.sin(Math.PI * Math.min(1, time / seconds)) ** 0.7;
    return loudness * envelope * filters.reduce((sum, filter, index) => sum + filter(source) / (index + 1), 0);
  };
}

/** A two-pole resonance filter. */
function resonator(hertz: number, bandwidth: number): (input: number) => number {
  const radius = Math.exp((-Math.PI * bandwidth) / clipSampleRate);
  const turn = 2 * radius * Math.cos((2 * Math.PI * hertz) / clipSampleRate);
  let [before, earlier] = [0, 0];
  return (input) => {
    const value = input + turn * before - radius * radius * earlier;
    [earlier, before] = [before, value];
    return value;
  };
}
