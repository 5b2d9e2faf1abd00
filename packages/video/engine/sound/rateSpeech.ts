import { modulationStep } from './modulationMeter.ts';
import { SortedWindow } from './sortedWindow.ts';

/** Number of values on each side of a value that form its surroundings: 0.75 s. */
const reach = 37;
/**
 * Gaps of at most this many values (100 ms) within a voice belong to the voice: stop consonants such as "p" and "t" are
 * silent.
 */
const closure = 5;
/**
 * A value is a pause if its level is more than `pauseDepth` dB below the loud parts of its surroundings, or in the lower
 * `pauseShare` of the range between their soft and loud parts.
 */
const pauseDepth = 18;
const pauseShare = 0.35;

/** Features that indicate a voice; one value per 20 ms unless stated otherwise. */
interface VoiceFeatures {
  /** Level of the frequency bands of speech, dB relative to full scale. */
  level: Float32Array;
  /** Periodicity, 0–1 (see `measureHarmonicity`). */
  harmonicity: Float32Array;
  /** Share of the level changes at the rate of syllables, one value per half second (see `ModulationMeter`). */
  modulation: Float32Array;
}

/**
 * Rates how much each 20 ms resembles a voice, 0–1, from the surrounding 1.5 s. A voice has vowels, which are periodic. In
 * addition, either the level drops far between words (speech alone), or the frequency bands rise and fall at the rate of
 * syllables (speech over music). Within such surroundings, only values near the loud parts count as voice, so that pauses
 * between words stay free.
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

/**
 * Syllable share of the 2 s around a value. If the mean with the neighbouring shares is higher, the result is that mean,
 * because a sentence may begin between two windows.
 */
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
