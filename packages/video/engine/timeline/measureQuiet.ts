import { soundStep, type SoundTrack } from '../sound/soundTrack.ts';

/** Sound below this level is silence whatever surrounds it, dB relative to full scale. */
const silenceLevel = -50;
/**
 * Sound is also silence if it is `silenceDepth` dB below the loud part of its surroundings or `programDepth` dB below the loud
 * part of the video, but never above `loudestSilence` (dB relative to full scale).
 */
const silenceDepth = 20;
const programDepth = 22;
const loudestSilence = -36;
/** Length of the surroundings on each side, seconds. */
const reach = 5;
const perSecond = Math.round(1 / soundStep);
/** Minimum likeness to a voice that counts as speech. */
const voice = 0.5;
/** Number of quiet values (60 ms) that a cut needs on each side, so that no word is cut at its beginning or end. */
const margin = 3;

/** Suitability of the sound for a cut at a time; all times in seconds. */
export interface Quiet {
  speaks(time: number): boolean;
  silent(time: number): boolean;
  /** Length of the pause in speech around the time, seconds; 0 within speech. */
  pause(time: number): number;
  /** How far the sound around the time is below the loud parts of the video, dB, ≥ 0. */
  depth(time: number): number;
  /** Cost of a cut from the loudness and speech around the time; lower is better. Comparable only within one video. */
  cost(time: number): number;
}

/** Finds silence and pauses. A video without sound is silent throughout. */
export function measureQuiet(sound: SoundTrack | null): Quiet {
  if (sound === null || sound.loudness.length === 0) {
    return { speaks: () => false, silent: () => true, pause: () => Number.MAX_SAFE_INTEGER, depth: () => 90, cost: () => 0 };
  }
  const count = sound.loudness.length;
  const seconds = secondLevels(sound.loudness);
  const program = [...seconds].sort((a, b) => a - b)[Math.floor(seconds.length * 0.8)]!;
  const limits = loudAround(seconds).map((loud) => Math.max(silenceLevel, Math.min(loudestSilence, Math.max(loud - silenceDepth, program - programDepth))));
  const speaking = spread(Uint8Array.from(sound.speech, (value) => Number(value > voice)));
  const heard = Uint8Array.from(sound.loudness, (level, index) => Number(level > limits[Math.floor(index / perSecond)]!));
  const noisy = spread(heard);
  const pauses = runLengths(speaking);
  /**
   * Index of the value whose 20 ms start nearest to the time, because a cut separates the sound before and after this instant.
   */
  const at = (time: number): number => Math.round(time / soundStep);
  const inside = (time: number): number => Math.min(count - 1, Math.max(0, at(time)));
  return {
    speaks: (time) => at(time) < count && speaking[inside(time)] === 1,
    silent: (time) => at(time) >= count || noisy[inside(time)] === 0,
    pause: (time) => pauses[inside(time)]! * soundStep,
    depth: (time) => (at(time) >= count ? 90 : Math.max(0, program - meanAround(sound.loudness, inside(time)))),
    cost: (time) => {
      if (at(time) >= count) return -200;
      const index = inside(time);
      return speaking[index]! * 100 - Math.min(25, pauses[index]!) + meanAround(sound.loudness, index) + 40 * meanAround(sound.speech, index);
    },
  };
}

/** Sets each value to 1 that has a 1 within the margin. */
function spread(flags: Uint8Array): Uint8Array {
  const result = new Uint8Array(flags.length);
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < flags.length; index++) {
    if (flags[index] === 1) last = index;
    if (index - last <= margin) result[index] = 1;
  }
  last = Number.POSITIVE_INFINITY;
  for (let index = flags.length - 1; index >= 0; index--) {
    if (flags[index] === 1) last = index;
    if (last - index <= margin - 1) result[index] = 1;
  }
  return result;
}

/** For each value, the length of the run of zeros that contains it; 0 for ones. */
function runLengths(flags: Uint8Array): Uint32Array {
  const lengths = new Uint32Array(flags.length);
  for (let from = 0; from < flags.length; ) {
    let to = from;
    while (to < flags.length && flags[to] === 0) to++;
    lengths.fill(to - from, from, to);
    from = to + 1;
  }
  return lengths;
}

/** Mean of the values within the margin around `index`. */
function meanAround(values: Float32Array, index: number): number {
  let sum = 0;
  for (let near = -margin; near <= margin; near++) sum += values[Math.min(values.length - 1, Math.max(0, index + near))]!;
  return sum / (2 * margin + 1);
}

/** Mean power of each second, dB relative to full scale. */
function secondLevels(loudness: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.ceil(loudness.length / perSecond) }, (_, second) => {
    const part = loudness.subarray(second * perSecond, (second + 1) * perSecond);
    const power = part.reduce((sum, level) => sum + 10 ** (level / 10), 0);
    return 10 * Math.log10(power / part.length + 1e-9);
  });
}

/** For each second, the level of the loudest second within 5 s. */
function loudAround(seconds: Float32Array): Float32Array {
  return seconds.map((_, second) => Math.max(...seconds.subarray(Math.max(0, second - reach), second + reach + 1)));
}
