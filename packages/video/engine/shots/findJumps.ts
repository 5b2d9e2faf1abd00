import { firstFrame } from '../media/firstFrame.ts';
import type { FrameTrack } from '../pictures/frameTrack.ts';

/**
 * A sudden change within a shot, such as a cut between two parts of one take, which resemble each other. The first frame after the
 * change is one of the frames from `first` to `last`, presentation times in seconds; the two are equal if every frame was analysed.
 */
export interface Jump {
  first: number;
  last: number;
}

/**
 * A jump is a picture whose residual is at least `residual` levels of grey and `ratio` times the largest residual of the pictures
 * within `seconds` before and after. On composed films (tuning seeds), three of the six cuts that the detector misses are jumps by
 * their ratio, two of them also by `residual`; a lower `residual` takes fast motion for jumps.
 */
const jump = { residual: 6, ratio: 1.8, seconds: 0.31 } as const;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/**
 * Finds the pictures that differ suddenly from the previous analysed picture.
 * @param frameTimes presentation times of all frames of the video, seconds, ascending
 */
export function findJumps({ times, residual }: Pick<FrameTrack, 'times' | 'residual'>, frameTimes: Float64Array): Jump[] {
  const largestBeside = (index: number, direction: 1 | -1): number => {
    let largest = -Infinity;
    for (let other = index + direction; other > 0 && other < times.length && Math.abs(times[other]! - times[index]!) <= jump.seconds; other += direction) {
      largest = Math.max(largest, residual[other]!);
    }
    // Key frames alone are too far apart to compare.
    return largest === -Infinity ? Infinity : largest;
  };
  const found: Jump[] = [];
  for (const [index, last] of times.entries()) {
    if (residual[index]! < jump.residual || ([-1, 1] as const).some((direction) => residual[index]! < jump.ratio * largestBeside(index, direction))) continue;
    found.push({ first: frameTimes[firstFrame(frameTimes, times[index - 1]! + sameFrame)] ?? last, last });
  }
  return found;
}
