import { modulationStep } from './modulationMeter.ts';
import { SortedWindow } from './sortedWindow.ts';

/** Values on either side that are looked at together: 0.75 s. */
const reach = 37;
/** Gaps of up to so many values (100 ms) inside a voice belong to it: stops like "p" and "t" are silent. */
const closure = 5;
/** So far below the loud parts, dB, or so low between the soft and the loud ones, there is a pause. */
const pauseDepth = 18;
const pauseShare = 0.35;

/** What a voice is told by, one value per 20 ms unless said. */
interface VoiceFeatures {
  /** Level of the bands of speech, dB. */
  level: Float32Array;
  harmonicity: Float32Array;
  /** Share of the rate of syllables, one value per half second. */
  modulation: Float32Array;
}

/**
 * How much each 20 ms sound like a voice, 0–1. A voice is told by its surroundings of 1.5 s: it has vowels, which are
 * periodic, and either its level falls deep between words (speech alone), or its bands rise and fall at the rate of
 * syllables (speech over music). Within such surroundings only what is near the loud parts counts, so that pauses between
 * words stay free.
 */
export function rateSpeech({ level, harmonicity, modulation }: VoiceFeatures): Float32Array {
  const count = level.length;
  const likeness = new Float32Array(count);
  const active = new Uint8Array(count);
  const levels = new SortedWindow(level, reach);
  const tones = new SortedWindow(harmonicity, reach);
  for (let index = 0; index < count; index++) {
    levels.moveTo(index);
    tones.moveTo(index);
    const loud = levels.at(0.9);
    const soft = levels.at(0.1);
    const tone = tones.at(0.8);
    const alone = Math.sqrt(ramp(loud - soft, 8, 18) * ramp(tone, 0.5, 0.8));
    const overMusic = ramp(syllablesAt(modulation, index), 0.3, 0.4) * ramp(tone, 0.36, 0.46);
    likeness[index] = Math.max(alone, overMusic) * ramp(loud, -55, -45);
    active[index] = Number(level[index]! > Math.max(loud - pauseDepth, soft + pauseShare * (loud - soft)));
  }
  closeGaps(active);
  return likeness.map((value, index) => (active[index] === 1 ? value : 0));
}

/** Share of syllables in the 2 s around a value; the smoothed higher one of its neighbours, since a sentence begins between them. */
function syllablesAt(modulation: Float32Array, index: number): number {
  const middle = Math.round((index + 2 * modulationStep) / modulationStep) - 1;
  const at = (place: number): number => modulation[Math.min(modulation.length - 1, Math.max(0, place))] ?? 0;
  return Math.max(at(middle), (at(middle - 1) + at(middle) + at(middle + 1)) / 3);
}

function ramp(value: number, low: number, high: number): number {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

function closeGaps(active: Uint8Array): void {
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < active.length; index++) {
    if (active[index] === 0) continue;
    if (index - last <= closure + 1) active.fill(1, Math.max(0, last), index);
    last = index;
  }
}
