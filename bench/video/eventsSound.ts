import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import type { PlantedEvent, Scene, Script, Word } from './eventsScript.ts';

/** Generates the sound of a script: 16-bit mono samples. */
export function playSound(script: Script, sampleRate: number): Int16Array {
  const sound = new Float32Array(Math.round(script.seconds * sampleRate));
  const random = seededRandom(script.seed + 2);
  for (const scene of script.scenes) {
    playBed(sound, scene, sampleRate, random);
    for (const word of scene.words) playWord(sound, word, sampleRate, random);
    if (scene.event !== null && scene.event.kind !== 'motion') playEvent(sound, scene.event, sampleRate, random);
  }
  return Int16Array.from(sound, (value) => Math.round(32_767 * Math.max(-1, Math.min(1, value))));
}

/** Adds the steady sound of a scene: room tone, water, a hum, the tone of the bars, or chords under credits. */
function playBed(sound: Float32Array, scene: Scene, rate: number, random: SeededRandom): void {
  if (scene.kind === 'black') return;
  const level = 10 ** (scene.bed / 20);
  const from = Math.round(scene.start * rate);
  const to = Math.min(sound.length, Math.round(scene.end * rate));
  let smooth = 0;
  for (let index = from; index < to; index++) {
    const time = index / rate;
    if (scene.kind === 'bars') sound[index] = 1.41 * level * Math.sin(6283.2 * time);
    else if (scene.kind === 'hum') sound[index] = level * (Math.sin(628.3 * time) + 0.6 * Math.sin(1256.6 * time) + 0.4 * Math.sin(1885 * time));
    else if (scene.kind === 'credits') {
      const chord = [220, 277.2, 329.6, 246.9][Math.floor(time / 2) % 4]!;
      const swell = 0.6 + 0.4 * Math.exp(-(time % 0.5) * 4);
      sound[index] = level * swell * (Math.sin(6.2832 * chord * time) + Math.sin(6.2832 * chord * 1.5 * time) + 0.5 * Math.sin(6.2832 * chord * 2 * time));
    } else {
      smooth += 0.3 * (2 * random.uniform() - 1 - smooth);
      sound[index] = sound[index]! + 4.1 * level * smooth;
    }
  }
}

/**
 * Adds a word of one to three syllables: pulses at the pitch through three resonances, which change from syllable to syllable.
 */
function playWord(sound: Float32Array, word: Word, rate: number, random: SeededRandom): void {
  const syllables = Math.max(1, Math.round((word.end - word.start) / 0.2));
  const from = Math.round(word.start * rate);
  const length = Math.min(sound.length - from, Math.round((word.end - word.start) * rate));
  const resonances = [new Resonance(rate), new Resonance(rate), new Resonance(rate)];
  let phase = 0;
  let syllable = -1;
  for (let index = 0; index < length; index++) {
    const place = index / length;
    const now = Math.floor(place * syllables);
    if (now !== syllable) {
      syllable = now;
      resonances[0]!.tune(300 + 500 * random.uniform(), 90);
      resonances[1]!.tune(900 + 1300 * random.uniform(), 120);
      resonances[2]!.tune(2400 + 600 * random.uniform(), 180);
    }
    const inside = place * syllables - syllable;
    const consonant = inside < 0.2;
    const envelope = Math.min(1, 6 * inside, 6 * (1.02 - inside));
    phase += (word.pitch * (1 + 0.02 * Math.sin(index / 900))) / rate;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    const source = consonant ? 0.08 * (2 * random.uniform() - 1) : pulse;
    const voiced = resonances[0]!.pass(source) + 0.6 * resonances[1]!.pass(source) + 0.3 * resonances[2]!.pass(source);
    sound[from + index] = sound[from + index]! + 0.18 * Math.max(0, envelope) * voiced;
  }
}

class Resonance {
  private a = 0;
  private b = 0;
  private gain = 0;
  private last = 0;
  private earlier = 0;
  private readonly rate: number;

  constructor(rate: number) {
    this.rate = rate;
  }

  tune(hertz: number, width: number): void {
    const radius = Math.exp((-Math.PI * width) / this.rate);
    this.a = 2 * radius * Math.cos((2 * Math.PI * hertz) / this.rate);
    this.b = -radius * radius;
    this.gain = 0.9;
  }

  pass(sample: number): number {
    const value = this.gain * sample + this.a * this.last + this.b * this.earlier;
    this.earlier = this.last;
    this.last = value;
    return value;
  }
}

/** Adds decaying knocks, three to five per second. */
function playEvent(sound: Float32Array, event: PlantedEvent, rate: number, random: SeededRandom): void {
  const level = 0.35 + 0.5 * event.strength;
  for (let at = event.start; at < event.end - 0.15; at += 0.2 + 0.13 * random.uniform()) {
    const from = Math.round(at * rate);
    const length = Math.round(Math.min(0.35, event.end - at) * rate);
    let smooth = 0;
    for (let index = 0; index < length && from + index < sound.length; index++) {
      smooth += 0.5 * (2 * random.uniform() - 1 - smooth);
      sound[from + index] = sound[from + index]! + level * smooth * Math.exp((-index / rate) * 9);
    }
  }
}
