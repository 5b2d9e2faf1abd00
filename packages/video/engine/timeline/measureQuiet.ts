import { soundStep, type SoundTrack } from '../sound/soundTrack.ts';

/** Below this it is silence in any surroundings, dB relative to full scale. */
const silenceLevel = -50;
/** So far below the loud part of the surroundings it is silence as well, dB. */
const silenceDepth = 20;
/** Surroundings on either side, values of the sound track: 5 s. */
const reach = 250;
/** Above this likeness a voice speaks. */
const voice = 0.5;
/** A place needs so many quiet values on either side (60 ms), so that no word's beginning or end is cut. */
const margin = 3;

/** What the sound says about cutting at a time. */
export interface Quiet {
  speaks(time: number): boolean;
  silent(time: number): boolean;
  /** Length of the run without speech around the time, seconds; 0 inside speech. */
  pause(time: number): number;
  /** Lower is better: loudness and speech around the time. */
  cost(time: number): number;
}

/** Finds silence and pauses; a file without sound is silent everywhere. */
export function measureQuiet(sound: SoundTrack | null): Quiet {
  if (sound === null || sound.loudness.length === 0) {
    return { speaks: () => false, silent: () => true, pause: () => Number.MAX_SAFE_INTEGER, cost: () => 0 };
  }
  const count = sound.loudness.length;
  const loud = loudAround(sound.loudness);
  const speaking = spread(Uint8Array.from(sound.speech, (value) => Number(value > voice)));
  const silence = Uint8Array.from(sound.loudness, (level, index) =>
    Number(level > silenceLevel && level > loud[index]! - silenceDepth));
  const noisy = spread(silence);
  const pauses = runLengths(speaking);
  /** Value whose 20 ms begin nearest to the time; the sound before and after it is what a cut separates. */
  const at = (time: number): number => Math.round(time / soundStep);
  const inside = (time: number): number => Math.min(count - 1, Math.max(0, at(time)));
  return {
    speaks: (time) => at(time) < count && speaking[inside(time)] === 1,
    silent: (time) => at(time) >= count || noisy[inside(time)] === 0,
    pause: (time) => pauses[inside(time)]! * soundStep,
    cost: (time) => {
      if (at(time) >= count) return -200;
      const index = inside(time);
      let cost = speaking[index]! * 100 - Math.min(25, pauses[index]!);
      for (let near = -margin; near <= margin; near++) {
        const place = Math.min(count - 1, Math.max(0, index + near));
        cost += (sound.loudness[place]! + 40 * sound.speech[place]!) / (2 * margin + 1);
      }
      return cost;
    },
  };
}

/** 1 wherever a 1 lies within the margin. */
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

/** Length of the run of zeros that each value lies in. */
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

/** Level of the loud part within 5 s: the highest mean of a second. */
function loudAround(loudness: Float32Array): Float32Array {
  const second = Math.round(1 / soundStep);
  const means: number[] = [];
  for (let from = 0; from < loudness.length; from += second) {
    const part = loudness.subarray(from, Math.min(loudness.length, from + second));
    let power = 0;
    for (const level of part) power += 10 ** (level / 10);
    means.push(10 * Math.log10(power / part.length + 1e-9));
  }
  const seconds = Math.round(reach / second);
  return loudness.map((_, index) => {
    const own = Math.floor(index / second);
    let loudest = -90;
    for (let near = Math.max(0, own - seconds); near <= Math.min(means.length - 1, own + seconds); near++) loudest = Math.max(loudest, means[near]!);
    return loudest;
  });
}
