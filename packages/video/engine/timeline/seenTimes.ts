import type { Analysis } from '../analysis/analysis.ts';
import { countBelow } from './rankValues.ts';

/** Distance of the tested times, seconds. */
const stride = 0.1;
/** A picture shows a time if the video has no frame later than this after the picture and before the time, seconds: several frames that a decoder skips. */
const nearby = 0.3;

/** The times whose pictures an analysis knows. Between two decoded frames, its measurements are those of the earlier one. */
export class SeenTimes {
  private readonly times: ArrayLike<number>;
  private readonly all: ArrayLike<number>;

  constructor({ frames, frameTimes }: Pick<Analysis, 'frames' | 'frameTimes'>) {
    this.times = frames.times;
    this.all = frameTimes;
  }

  /** Whether, at a number of times of a range at least, the picture is known and the picture `lag` seconds earlier too. */
  both({ start, end }: { start: number; end: number }, lag: number, count: number): boolean {
    let found = 0;
    for (let index = 1; start + index * stride < end && found < count; index++) {
      const time = start + index * stride;
      if (this.isSeen(time) && this.isSeen(time - lag)) found++;
    }
    return found >= count;
  }

  private isSeen(time: number): boolean {
    const decoded = countBelow(this.times, time + 1e-6) - 1;
    const shown = countBelow(this.all, time + 1e-6) - 1;
    return decoded >= 0 && shown >= 0 && this.all[shown]! - this.times[decoded]! < nearby;
  }
}
