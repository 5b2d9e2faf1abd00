import type { Analysis } from '../analysis/analysis.ts';
import { layoutLength, layoutStep, type FrameTrack } from '../pictures/frameTrack.ts';
import type { Shot } from '../shots/shot.ts';
import { soundStep } from '../sound/soundTrack.ts';
import { continueRepeats } from './continueRepeats.ts';
import { inaudible, readCurves, valueAt, type Curves } from './curves.ts';
import { movesAlike } from './movesAlike.ts';
import { SeenTimes } from './seenTimes.ts';

/** Shorter shots are not compared, seconds: they have too little content to recognize. */
const shortest = 1;
/** Compared part of a shot, seconds from its start. */
const longest = 30;
/** Seconds between two compared values. */
const stride = 0.1;
/** Fewest compared values of a shot beside a copy. */
const fewest = 2;
/** Fewest values of two shots without sound at which the pictures of both are known. */
const fewestSeen = 5;
/** Transitions may be found at slightly different frames: the start of a copy may deviate by this much, seconds. */
const reach = 0.4;
/** Layouts this close to the edge of a shot are not compared, seconds. */
const edge = 0.05;
/** Mean absolute difference of the layouts of two shots, levels of grey, above which a closer comparison is not needed; moving shots may differ by what moves in half a second in addition. */
const coarse = 14;
/**
 * Number of earlier shots of similar layout that a shot is compared with: a conversation of three hours with two cameras would otherwise
 * be two million comparisons. Copies are among the most similar shots.
 */
const mostCompared = 32;
/** Maximum mean absolute differences of copies: layouts, brightness and contrast in levels of grey; loudness in dB. */
const limits = { layout: 8, brightness: 2.5, contrast: 2.5, loudness: 3.5 } as const;
/**
 * Copies with other sound, such as a replay with a commentator, must agree this many times more closely or move alike; where their
 * layout moves by less than this many levels of grey per half second, they must do both: a speaker in front of the same wall is no copy.
 */
const muted = 4;
const moving = 3;
/**
 * Pictures beside a copy may differ by this many times the limits of brightness and contrast: where the decoder skips the loop filter,
 * the pictures of two copies drift apart between key frames, on tuning films by up to 3.4 levels of grey, and by 7.4 in a shot that moves
 * alike. Other scenes beside a copy differ in loudness (by 3.8 dB and more), or by 10 levels of grey and more.
 */
const drift = { any: 2, moving: 4 } as const;

/**
 * Finds shots that look and sound the same as an earlier shot: jingles, intros, adverts, replays, and videos that play several
 * times. A shot is compared with each earlier shot of similar layout, aligned at the start, over the common length: brightness,
 * contrast and loudness must agree in every second, and the layouts must agree on average. Two shots of one place with
 * different actions or words are therefore not copies. Moving pictures are copies with any sound if they agree closely or move
 * alike, pictures that stay in place if they agree closely and move alike. Shots beside a copy, of any length, repeat with it if they
 * continue what it repeats. Without sound, shots are compared only where pictures of both are known: between two key frames, the last
 * one would look the same in all shots.
 *
 * @returns for each shot, the time in seconds from the first occurrence to this occurrence; 0 for a first occurrence
 */
export function findRepeats(analysis: Analysis): Float64Array {
  const { shots } = analysis;
  const curves = readCurves(analysis);
  const lags = new Float64Array(shots.length);
  const { frames } = analysis;
  const { layouts } = frames;
  const seen = new SeenTimes(analysis);
  const means = shots.map((shot) => meanLayout(layouts, shot));
  const changes = changesOf(layouts);
  const moves = shots.map((shot) => movedIn(changes, shot));
  const firsts: number[] = [];
  for (const [index, shot] of shots.entries()) {
    if (shot.end - shot.start < shortest) continue;
    let best = Number.POSITIVE_INFINITY;
    for (const first of mostSimilar(means, firsts, index, coarse + moves[index]!)) {
      const found = compareShots({ curves, changes, frames, seen }, shots[first]!, shot);
      if (found === null || found.difference >= best) continue;
      best = found.difference;
      lags[index] = found.lag;
    }
    if (best === Number.POSITIVE_INFINITY) firsts.push(index);
  }
  continueRepeats(shots, lags, (shot, lag) => continues({ curves, frames, seen }, shot, lag));
  return lags;
}

interface Compared {
  curves: Curves;
  frames: FrameTrack;
  seen: SeenTimes;
}

function isSilent(level: number): boolean {
  return level <= inaudible + limits.loudness;
}

function meanOf(count: number, valueOf: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += valueOf(index);
  return sum / count;
}

/**
 * Whether a shot beside a copy looks and sounds like the part of the video `lag` seconds earlier. Without sound, the pictures
 * must agree as closely as those of other copies.
 */
function continues({ curves, frames, seen }: Compared, shot: Shot, lag: number): boolean {
  const seconds = Math.min(shot.end - shot.start, longest);
  const count = Math.floor(seconds / stride) - 1;
  if (count < fewest || showsOtherPages(frames, shot, lag)) return false;
  const sums = { brightness: 0, contrast: 0, loudness: 0, level: 0 };
  for (let index = 1; index <= count; index++) {
    const time = shot.start + index * stride;
    for (const name of ['brightness', 'contrast', 'loudness'] as const) sums[name] += Math.abs(valueAt(curves[name], time) - valueAt(curves[name], time - lag)) / count;
    sums.level += valueAt(curves.loudness, time) / count;
  }
  const silent = isSilent(sums.level);
  if (silent && !seen.both(shot, lag, Math.min(fewestSeen, count))) return false;
  const factor = silent ? 1 : movesAlike(frames, shot, lag) ? drift.moving : drift.any;
  if (sums.brightness > factor * limits.brightness || sums.contrast > factor * limits.contrast || sums.loudness > limits.loudness) return false;
  // A shorter shot has a single layout, which may be of its neighbour where only key frames are known.
  if (seconds < shortest) return true;
  const { difference, moved } = compareLayouts(frames.layouts, { start: shot.start - lag, end: shot.end - lag }, shot, lag);
  return difference <= limits.layout + moved;
}

/** The best alignment of a shot with an earlier shot; null if they do not look and sound the same. */
function compareShots({ curves, changes, frames, seen }: Compared & { changes: Float32Array }, first: Shot, shot: Shot): { lag: number; difference: number } | null {
  const length = Math.min(first.end - first.start, shot.end - shot.start, longest) - stride;
  const count = Math.floor(length / stride);
  const differenceAt = (lag: number, from: number, to: number, heard: boolean): number => {
    let sum = 0;
    for (let index = from; index < to; index++) {
      const time = shot.start + (index + 1) * stride;
      sum += Math.max(
        differenceOf(curves.brightness, time, lag) / limits.brightness,
        differenceOf(curves.contrast, time, lag) / limits.contrast,
        heard ? differenceOf(curves.loudness, time, lag) / limits.loudness : 0,
      );
    }
    return sum / (to - from);
  };
  const compared = { start: shot.start, end: shot.start + length };
  const mayBeMuted = movedIn(changes, compared) > moving;
  const steps = Math.round(Math.min(reach, length / 4) / soundStep);
  const silent = isSilent(meanOf(count, (index) => valueAt(curves.loudness, shot.start + (index + 1) * stride)));
  const perSecond = Math.round(1 / stride);
  const agrees = (lag: number, heard: boolean, most: number): boolean => {
    for (let from = 0; from + perSecond <= count; from += perSecond) if (differenceAt(lag, from, from + perSecond, heard) > 1.5 * most) return false;
    return differenceAt(lag, 0, count, heard) <= most;
  };
  const looksAlike = (lag: number): boolean => {
    if (showsOtherPages(frames, compared, lag)) return false;
    if (silent && !seen.both(compared, lag, fewestSeen)) return false;
    const { difference, moved } = compareLayouts(frames.layouts, first, compared, lag);
    // Layouts are half a second apart, so the interpolation misses up to what moves in this time.
    return difference <= limits.layout + moved;
  };
  const isMuted = (lag: number): boolean => mayBeMuted && (agrees(lag, false, 1 / muted) || (agrees(lag, false, 1) && movesAlike(frames, shot, lag)));
  const best = alignShots(curves, first, shot, { count, steps, mayBeMuted });
  if (best !== null && (agrees(best.lag, true, 1) || isMuted(best.lag)) && looksAlike(best.lag)) return best;
  // A shot that stays in place looks the same at all lags, so the starts are aligned, and the rhythm of what moves in it identifies a copy.
  const aligned = shot.start - first.start;
  return !mayBeMuted && agrees(aligned, false, 1 / muted) && movesAlike(frames, compared, aligned) && looksAlike(aligned) ? { lag: aligned, difference: 1 } : null;
}

/** Whether a range shows other still pages than the range `lag` seconds earlier: slides on one template have the same layout, brightness and contrast. */
function showsOtherPages({ pages }: FrameTrack, { start, end }: Shot, lag: number): boolean {
  let [others, compared] = [0, 0];
  for (let row = Math.ceil(start / layoutStep); row * layoutStep < end; row++) {
    const [page, earlier] = [pages[row] ?? 0, pages[Math.max(0, Math.round(row - lag / layoutStep))] ?? 0];
    if (page === 0 || earlier === 0) continue;
    compared++;
    if (page !== earlier) others++;
  }
  return 2 * others > compared;
}

function differenceOf(curve: Float32Array, time: number, lag: number): number {
  return Math.abs(valueAt(curve, time) - valueAt(curve, time - lag));
}

/**
 * The lag at which a shot differs least from an earlier shot, of `steps` lags in both directions; `count` values are compared. A shot that may be muted may agree
 * more closely without its sound; any other shot needs its sound, so most alignments with another shot of the same conversation end after some values. Null if all
 * lags differ too much.
 */
function alignShots(curves: Curves, first: Shot, shot: Shot, { count, steps, mayBeMuted }: { count: number; steps: number; mayBeMuted: boolean }): { lag: number; difference: number } | null {
  const aligned = shot.start - first.start;
  const perStep = 0.001;
  const limit = mayBeMuted ? muted : 1 + perStep * steps;
  let best = { lag: Number.NaN, difference: limit };
  const perStride = Math.round(stride / soundStep);
  const start = Math.round(first.start / soundStep) + perStride;
  const names = ['brightness', 'contrast', 'loudness'] as const;
  const [brightness, contrast, loudness] = names.map((name) => Float64Array.from({ length: count }, (_, index) => valueAt(curves[name], shot.start + (index + 1) * stride))) as [Float64Array, Float64Array, Float64Array];
  const [lights, contrasts, levels] = names.map((name) => curves[name]) as [Float32Array, Float32Array, Float32Array];
  const [last, lastLevel] = [lights.length - 1, levels.length - 1];
  for (let step = -steps; step <= steps; step++) {
    let [heard, seen] = [0, 0];
    const most = (best.difference - perStep * Math.abs(step)) * count;
    // Both sums only grow, so an alignment that is worse than the best is known before its last value.
    for (let index = 0; index < count && (mayBeMuted ? Math.min(heard, muted * seen) : heard) <= most; index++) {
      const place = Math.max(0, start + index * perStride - step);
      const at = Math.min(last, place);
      const looks = Math.max(Math.abs(brightness[index]! - lights[at]!) / limits.brightness, Math.abs(contrast[index]! - contrasts[at]!) / limits.contrast);
      seen += looks;
      heard += Math.max(looks, Math.abs(loudness[index]! - levels[Math.min(lastLevel, place)]!) / limits.loudness);
    }
    const difference = (mayBeMuted ? Math.min(heard, muted * seen) : heard) / count + perStep * Math.abs(step);
    if (difference < best.difference || (Number.isNaN(best.lag) && difference <= limit)) best = { lag: aligned + step * soundStep, difference };
  }
  return Number.isNaN(best.lag) ? null : best;
}

/** Mean absolute change from each layout to the next, levels of grey. */
function changesOf(layouts: Uint8Array): Float32Array {
  return Float32Array.from({ length: Math.floor(layouts.length / layoutLength) }, (_, row) => (row === 0 ? 0 : mixedDifference(layouts, row, row - 1, 0)));
}

/** Mean change of the layouts of a shot in half a second, levels of grey. */
function movedIn(changes: Float32Array, { start, end }: Shot): number {
  let [moved, steps] = [0, 0];
  for (let row = Math.ceil((start + edge) / layoutStep) + 1; row * layoutStep <= end - edge; row++, steps++) moved += changes[row] ?? 0;
  return steps > 0 ? moved / steps : 0;
}

/**
 * Mean absolute difference of the layouts of a shot from the layouts of the first occurrence, interpolated between half
 * seconds, and mean change of the shot's layouts in half a second; levels of grey. Only layouts within both shots count.
 */
function compareLayouts(layouts: Uint8Array, first: Shot, shot: Shot, lag: number): { difference: number; moved: number } {
  let [difference, compared, moved, steps] = [0, 0, 0, 0];
  const within = ({ start, end }: Shot, row: number): boolean => row * layoutStep >= start + edge && row * layoutStep <= end - edge;
  for (let row = Math.ceil(shot.start / layoutStep); row * layoutStep < shot.end; row++) {
    if (!within(shot, row)) continue;
    if (within(shot, row - 1)) {
      moved += mixedDifference(layouts, row, row - 1, 0);
      steps++;
    }
    const place = row - lag / layoutStep;
    const before = Math.floor(place + 1e-6);
    const share = Math.max(0, place - before);
    if (!within(first, before) || (share > 1e-3 && !within(first, before + 1))) continue;
    difference += mixedDifference(layouts, row, before, share);
    compared++;
  }
  return { difference: compared > 0 ? difference / compared : 0, moved: steps > 0 ? moved / steps : 0 };
}

/** Mean absolute difference of one layout from the mean of two consecutive layouts; `share` is the weight of the second. */
export function mixedDifference(layouts: Uint8Array, row: number, before: number, share: number): number {
  let sum = 0;
  for (let index = 0; index < layoutLength; index++) {
    const early = layouts[before * layoutLength + index] ?? 0;
    const late = share > 1e-3 ? (layouts[(before + 1) * layoutLength + index] ?? early) : early;
    sum += Math.abs((layouts[row * layoutLength + index] ?? 0) - early - share * (late - early));
  }
  return sum / layoutLength;
}

/** Mean layout of the first four seconds of a shot. */
function meanLayout(layouts: Uint8Array, shot: Shot): Float32Array {
  const known = Math.floor(layouts.length / layoutLength);
  const mean = new Float32Array(layoutLength);
  const from = Math.min(known - 1, Math.ceil(shot.start / layoutStep));
  const to = Math.max(from + 1, Math.min(known, Math.floor(Math.min(shot.end, shot.start + 4) / layoutStep)));
  if (known === 0) return mean;
  for (let row = from; row < to; row++) {
    for (let index = 0; index < layoutLength; index++) mean[index]! += layouts[row * layoutLength + index]! / (to - from);
  }
  return mean;
}

/** The earlier shots whose mean layout differs by at most `limit` levels of grey, in their order; of many, the `mostCompared` most similar ones, of equal ones the earliest. */
function mostSimilar(means: readonly Float32Array[], firsts: readonly number[], index: number, limit: number): number[] {
  const similar: { first: number; difference: number }[] = [];
  let most = limit;
  for (const first of firsts) {
    const difference = differenceUpTo(means[index]!, means[first]!, most);
    if (difference > most || (similar.length === mostCompared && difference === most)) continue;
    const place = similar.findLastIndex((other) => other.difference <= difference) + 1;
    similar.splice(place, 0, { first, difference });
    if (similar.length > mostCompared) similar.pop();
    if (similar.length === mostCompared) most = similar.at(-1)!.difference;
    if (similar.length === mostCompared && most === 0) break;
  }
  return similar.map(({ first }) => first).sort((one, other) => one - other);
}

/** Mean absolute difference of two layouts, levels of grey; any value above `limit` if it is above `limit`. */
function differenceUpTo(one: Float32Array, other: Float32Array, limit: number): number {
  const most = limit * one.length;
  let sum = 0;
  for (let index = 0; index < one.length && sum <= most; index++) sum += Math.abs(one[index]! - other[index]!);
  return sum / one.length;
}
