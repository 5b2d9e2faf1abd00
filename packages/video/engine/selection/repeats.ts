import type { Shot } from '../shots/shot.ts';
import { countBelow } from '../timeline/rankValues.ts';
import { overlapOf, type Range } from './range.ts';

/** Two ranges show the same if they have at least this much in common, seconds. */
const least = 0.7;

/**
 * Maps ranges of the video to the first occurrence of what they show. Two ranges show the same scene if their first occurrences
 * overlap.
 */
export class Repeats {
  private readonly shots: readonly Shot[];
  private readonly lags: Float64Array;
  private readonly starts: Float64Array;
  /** Whether any shot of the video occurs twice. */
  readonly any: boolean;

  /** @param lags result of `findRepeats`: for each shot, the time since its first occurrence, seconds */
  constructor(shots: readonly Shot[], lags: Float64Array) {
    this.shots = shots;
    this.lags = lags;
    this.starts = Float64Array.from(shots, ({ start }) => start);
    this.any = lags.some((lag) => lag > 0);
  }

  /** The parts of a range, one per shot, moved to their first occurrences. */
  originsOf(range: Range): Range[] {
    const origins: Range[] = [];
    for (let index = Math.max(0, countBelow(this.starts, range.start + 1e-6) - 1); index < this.shots.length && this.starts[index]! < range.end; index++) {
      const { start, end } = this.shots[index]!;
      const [from, to] = [Math.max(start, range.start), Math.min(end, range.end)];
      if (to > from) origins.push({ start: from - this.lags[index]!, end: to - this.lags[index]! });
    }
    return origins;
  }

  /** Whether a range shows the same as ranges whose first occurrences are `origins`. */
  showsAgain(range: Range, origins: readonly Range[]): boolean {
    let common = 0;
    for (const part of this.originsOf(range)) for (const origin of origins) common += overlapOf(part, origin);
    return common >= least;
  }

  /**
   * Start times of the other parts of the video that show at least `fewest` seconds of what a range shows, ascending, seconds. Of each
   * shot, they show at least half.
   */
  othersOf(range: Range, fewest: number): number[] {
    if (!this.any) return [];
    const found: { time: number; seconds: number }[] = [];
    for (const origin of this.originsOf(range)) {
      const enough = Math.max(least, (origin.end - origin.start) / 2);
      for (const [index, { start, end }] of this.shots.entries()) {
        const lag = this.lags[index]!;
        const part = { start: Math.max(start, origin.start + lag), end: Math.min(end, origin.end + lag) };
        if (part.end - part.start < enough || overlapOf(part, range) > 0) continue;
        // Consecutive shots of one copy are one place.
        const place = found.find(({ time }) => part.start - time >= 0 && part.start - time < range.end - range.start + 1);
        if (place === undefined) found.push({ time: part.start, seconds: part.end - part.start });
        else place.seconds += part.end - part.start;
      }
    }
    return found.filter(({ seconds }) => seconds >= fewest).map(({ time }) => time).sort((a, b) => a - b);
  }
}
