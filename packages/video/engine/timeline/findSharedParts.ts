import type { Analysis } from '../analysis/analysis.ts';
import { layoutStep, type FrameTrack } from '../pictures/frameTrack.ts';
import type { TimeWindow } from '../shots/refineTransitions.ts';
import { soundStep } from '../sound/soundTrack.ts';
import { mixedDifference } from './findRepeats.ts';
import type { FoundRepeats } from './joinRepeats.ts';
import { correlate, movesAlike } from './movesAlike.ts';
import { countBelow } from './rankValues.ts';

/** A time range of the video, and how much earlier the video shows and sounds the same, seconds. */
export interface SharedPart {
  start: number;
  end: number;
  lag: number;
}

/** Minimum length of what two ranges share, and maximum length of a shared part, seconds. */
const least = 0.7;
const longest = 30;
/**
 * Two ranges sound the same if their levels, in means of 60 ms, correlate this much and differ by at most this much on average, dB.
 * On composed films (tuning seeds), copies reach 0.958 and 1.6 dB; other ranges that correlate this much differ in their pictures. A
 * steady sound hardly varies, so copies reach only 0.67; they need sound beside them that is the same, or pictures that move alike.
 */
const sound = { alike: 0.95, steady: 0.6, apart: 2 } as const;
/** Maximum mean absolute differences of the pictures of copies, levels of grey. Copies reach 2.3, and layouts of moving pictures differ by what moves in half a second in addition; other ranges that sound the same differ by 7 and more in one of the three. */
const limits = { brightness: 2.5, contrast: 2.5, layout: 10 } as const;
/**
 * Pictures are compared where a frame of both ranges is known at most this much before, seconds, and only if this many instants can be
 * compared. Otherwise, at most this much of each range is decoded, seconds.
 */
const known = { before: 0.1, stride: 0.1, fewest: 5, asked: 1.5 } as const;
/** A shared part is continued in steps of this length, as long as the levels correlate this much, seconds. */
const step = { seconds: 1, alike: 0.8 } as const;
/** Parts that overlap are the same if their lags differ by less than this, seconds. */
const sameLag = 0.1;
/** Maximum number of compared values of a video, about 2 s of processor time: previews of up to 100 segments of 5 s are compared completely. */
const mostValues = 1e9;

/** What the segments of a preview share, and windows of the video whose frames would show whether they share more. */
export interface FoundParts {
  shared: SharedPart[];
  unseen: TimeWindow[];
}

/**
 * Finds what the segments of a preview share: parts of a later segment that look and sound the same as parts of an earlier one. The
 * shots need not be known, because every alignment of two segments is compared: 0.2 million values for two segments of 5 s. Two
 * segments are aligned once, however often they are selected. Needs the sound.
 *
 * @example
 * const parts = new SharedParts(analysis.sound);
 * const { shared, unseen } = parts.find(analysis.frames, segments);
 */
export class SharedParts {
  /** All parts that were found. */
  readonly known: SharedPart[] = [];
  private readonly levels: Float32Array;
  private readonly aligned = new Map<string, SharedPart | null>();
  private left: number = mostValues;

  constructor(sound: Analysis['sound']) {
    this.levels = smooth(sound?.loudness ?? new Float32Array());
  }

  /**
   * Returns what was not found before. Where the sound agrees, but too few frames are known to compare the pictures, the frames around
   * the middle of both parts are asked for.
   */
  find(frames: FrameTrack, segments: readonly { start: number; end: number }[]): FoundParts {
    const parts: FoundParts = { shared: [], unseen: [] };
    const ordered = [...segments].sort((one, other) => one.start - other.start);
    for (const [index, later] of ordered.entries()) {
      for (const earlier of ordered.slice(0, index)) {
        const part = this.align(earlier, later);
        if (part === null || this.known.some((other) => covers(other, part))) continue;
        const looks = compareLooks(frames, part);
        if (looks === 'unseen') parts.unseen.push(...[0, part.lag].map((lag) => middleOf(part, lag)));
        if (looks !== 'same') continue;
        const whole = continuePart(this.levels, part);
        if (compareSound(this.levels, whole).alike < sound.alike && !movesAlike(frames, part, part.lag)) continue;
        parts.shared.push(whole);
        this.known.push(whole);
      }
    }
    return parts;
  }

  private align(earlier: { start: number; end: number }, later: { start: number; end: number }): SharedPart | null {
    const key = [earlier.start, earlier.end, later.start, later.end].join(' ');
    const known = this.aligned.get(key);
    if (known !== undefined) return known;
    const [one, other] = [earlier, later].map(({ start, end }) => (end - start) / soundStep);
    this.left -= (one! + other!) * Math.min(one!, other!);
    const part = this.levels.length === 0 || this.left < 0 ? null : align(this.levels, earlier, later);
    this.aligned.set(key, part);
    return part;
  }
}

function middleOf({ start, end }: SharedPart, lag: number): TimeWindow {
  const half = Math.min(known.asked, end - start) / 2;
  return { from: (start + end) / 2 - lag - half, to: (start + end) / 2 - lag + half };
}

/** A shared part as a list for `joinRepeats`. */
export function repeatOf({ start, end, lag }: SharedPart): FoundRepeats {
  return { shots: [{ start: start - lag, end: end - lag }, { start, end }], repeats: Float64Array.of(0, lag) };
}

/** Where the two copies of a shared part start and end, and where a shot starts in either copy, seconds. */
export function edgesOf({ start, end, lag }: SharedPart, shots: readonly { start: number }[]): number[] {
  const inner = shots.flatMap((shot) => [shot.start, shot.start + lag].filter((edge) => edge > start && edge < end));
  return [start, ...inner, end].flatMap((edge) => [edge - lag, edge]);
}

/** The part of `later` whose sound resembles a part of `earlier` most; null if all parts are too short or too different. */
function align(levels: Float32Array, earlier: { start: number; end: number }, later: { start: number; end: number }): SharedPart | null {
  let best: SharedPart | null = null;
  let most: number = sound.steady;
  const shortest = Math.min(least, earlier.end - earlier.start, later.end - later.start);
  for (let shift = Math.ceil((later.start - earlier.end + shortest) / soundStep); shift * soundStep <= later.end - earlier.start - shortest; shift++) {
    const lag = shift * soundStep;
    const part = { start: Math.max(later.start, earlier.start + lag), end: Math.min(later.end, earlier.end + lag), lag };
    if (part.end - part.start > lag) continue;
    const { alike, apart } = compareSound(levels, part);
    if (alike < most || apart > sound.apart) continue;
    most = alike;
    best = part;
  }
  return best;
}

/** Correlation of the levels of a part and of what is `lag` seconds earlier, and their mean absolute difference, dB. */
function compareSound(levels: Float32Array, { start, end, lag }: SharedPart): { alike: number; apart: number } {
  const [from, to] = [Math.ceil(start / soundStep - 1e-6), Math.min(levels.length, Math.floor(end / soundStep + 1e-6))];
  const shift = Math.round(lag / soundStep);
  const [own, other] = [levels.subarray(from, to), levels.subarray(from - shift, to - shift)];
  let apart = 0;
  for (let index = 0; index < own.length; index++) {
    apart += Math.abs(own[index]! - other[index]!) / own.length;
    // Most alignments differ after a few values.
    if (apart > sound.apart) return { alike: 0, apart };
  }
  return { alike: correlate(own, other, 0), apart };
}

/** Whether the pictures of a part agree with the earlier ones where both are known; `unseen` if too few are. */
function compareLooks(frames: FrameTrack, { start, end, lag }: SharedPart): 'same' | 'different' | 'unseen' {
  const at = (time: number): number | null => {
    const place = countBelow(frames.times, time + 1e-6) - 1;
    return place >= 0 && time - frames.times[place]! <= known.before ? place : null;
  };
  const sums = { brightness: 0, contrast: 0 };
  let count = 0;
  for (let time = start + known.stride / 2; time < end; time += known.stride) {
    const [own, other] = [at(time), at(time - lag)];
    if (own === null || other === null) continue;
    for (const name of ['brightness', 'contrast'] as const) sums[name] += Math.abs(frames[name][own]! - frames[name][other]!);
    count++;
  }
  if (sums.brightness > limits.brightness * count || sums.contrast > limits.contrast * count) return 'different';
  if (count < known.fewest) return 'unseen';
  let [difference, rows, moved, steps] = [0, 0, 0, 0];
  for (let row = Math.ceil(start / layoutStep); row * layoutStep < end; row++) {
    if (at(row * layoutStep) === null || at(row * layoutStep - lag) === null) continue;
    const place = row - lag / layoutStep;
    const early = Math.floor(place + 1e-6);
    difference += mixedDifference(frames.layouts, row, early, Math.max(0, place - early));
    rows++;
    if ((row - 1) * layoutStep < start || at((row - 1) * layoutStep) === null) continue;
    moved += mixedDifference(frames.layouts, row, row - 1, 0);
    steps++;
  }
  return difference <= (limits.layout + moved / Math.max(1, steps)) * rows ? 'same' : 'different';
}

/**
 * Continues a part before and after the two segments, as long as the levels of each second agree and the part does not reach its own
 * copy, and ends it where the sound last varied in the same way: other scenes may have a steady sound of the same level.
 */
function continuePart(levels: Float32Array, { start, end, lag }: SharedPart): SharedPart {
  const most = Math.min(longest, lag);
  const part = { start, end, lag };
  let reached = start;
  const compareAt = (from: number): { alike: number; apart: number } => compareSound(levels, { start: from, end: from + step.seconds, lag });
  for (let to = end; to + step.seconds - start <= most && to + step.seconds <= levels.length * soundStep; to += step.seconds) {
    const { alike, apart } = compareAt(to);
    if (apart > sound.apart) break;
    if (alike >= step.alike) part.end = to + step.seconds;
  }
  for (let from = start - step.seconds; part.end - from <= most && from >= lag; from -= step.seconds) {
    const { alike, apart } = compareAt(from);
    if (apart > sound.apart) break;
    if (alike >= step.alike) reached = from;
  }
  return { ...part, start: reached };
}

function covers(known: SharedPart, { start, end, lag }: SharedPart): boolean {
  return Math.abs(known.lag - lag) < sameLag && known.start <= start && known.end >= end;
}

/** Mean of three consecutive values: 20 ms steps of two copies need not coincide. */
function smooth(values: Float32Array): Float32Array {
  return values.map((value, index) => ((values[index - 1] ?? value) + value + (values[index + 1] ?? value)) / 3);
}
