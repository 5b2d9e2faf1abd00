import type { Shot } from '../shots/shot.ts';
import { countBelow } from './rankValues.ts';

/** Shots of a video, and for each shot the time since its first occurrence, seconds; 0 for a first occurrence (see `findRepeats`). */
export interface FoundRepeats {
  shots: readonly Shot[];
  repeats: Float64Array;
}

/** A copy starts up to 0.4 s before or after what it repeats and has at least 1 s, so both show what is this much after the start, seconds. */
const inside = 0.5;
/** Minimum length of what two copies have in common, seconds. */
const least = 0.5;
/** Minimum length of a part of a divided shot, seconds: the edges of shots that are known from key frames may be wrong by less. */
const shortest = 1;

/**
 * Joins repeats that were found in several ways, also on other shots of the same video, into one list for `shots`. If a shot repeats
 * a second one, and the second repeats a third, all three have the same first occurrence, whichever way the pairs were found. If a
 * shot of an earlier list was divided, its parts repeat the parts of its first occurrence.
 *
 * @returns for each shot, the time in seconds from the first occurrence to this occurrence; 0 for a first occurrence
 */
export function joinRepeats(shots: readonly Shot[], lists: readonly FoundRepeats[]): Float64Array {
  const copies = new Copies(shots.length);
  const starts = startsOf(shots);
  for (const list of lists) {
    const known = startsOf(list.shots);
    for (const [number, shot] of list.shots.entries()) {
      const lag = list.repeats[number]!;
      if (lag === 0) continue;
      const first = list.shots[shotAt(known, shot.start + inside - lag)] ?? shot;
      const from = Math.max(shot.start, first.start + lag);
      const to = Math.min(shot.end, first.end + lag);
      for (let index = Math.max(0, shotAt(starts, from)); index < shots.length && shots[index]!.start < to; index++) {
        const { start, end } = shots[index]!;
        const common = [Math.max(from, start), Math.min(to, end)] as const;
        // A shot belongs to the known shot that covers most of it: the edges of the two may differ.
        if (common[1] - common[0] < least || 2 * (Math.min(shot.end, end) - Math.max(shot.start, start)) <= end - start) continue;
        const time = (common[0] + common[1]) / 2 - lag;
        const origin = shotAt(starts, time);
        if (origin >= 0 && origin < index && time < shots[origin]!.end) copies.join(index, origin, lag);
      }
    }
  }
  return Float64Array.from(shots, (_, index) => copies.firstOf(index).lag);
}

/**
 * Divides shots at edges that are no longer or not yet known as cuts, seconds, without parts shorter than 1 s: such a shot may show two
 * scenes, of which each is repeated elsewhere.
 */
export function divideShots(shots: readonly Shot[], edges: readonly number[]): Shot[] {
  const ascending = Float64Array.from(edges).sort();
  return shots.flatMap(({ start, end }) => {
    const parts = [{ start, end }];
    for (let index = countBelow(ascending, start); index < ascending.length && ascending[index]! < end; index++) {
      const last = parts.at(-1)!;
      const edge = ascending[index]!;
      if (edge - last.start < shortest || last.end - edge < shortest) continue;
      parts.push({ start: edge, end });
      last.end = edge;
    }
    return parts;
  });
}

function startsOf(shots: readonly Shot[]): Float64Array {
  return Float64Array.from(shots, ({ start }) => start);
}

/** Index of the last shot that starts at or before `time`; -1 if there is none. */
function shotAt(starts: Float64Array, time: number): number {
  return countBelow(starts, time + 1e-6) - 1;
}

/** Groups of copies: a union-find structure (Tarjan 1975) whose links carry the time between two copies, seconds. */
class Copies {
  private readonly parents: Int32Array;
  private readonly lags: Float64Array;

  constructor(count: number) {
    this.parents = Int32Array.from({ length: count }, (_, index) => index);
    this.lags = new Float64Array(count);
  }

  /** The first occurrence of a shot, and the time since then. */
  firstOf(index: number): { first: number; lag: number } {
    let lag = 0;
    let first = index;
    for (; this.parents[first] !== first; first = this.parents[first]!) lag += this.lags[first]!;
    return { first, lag };
  }

  /** Joins the groups of two shots: the shot `index` repeats the shot `origin`, `lag` seconds later. */
  join(index: number, origin: number, lag: number): void {
    const [own, other] = [this.firstOf(index), this.firstOf(origin)];
    if (own.first === other.first) return;
    const between = lag + other.lag - own.lag;
    const [later, earlier] = between > 0 ? [own.first, other.first] : [other.first, own.first];
    this.parents[later] = earlier;
    this.lags[later] = Math.abs(between);
  }
}
