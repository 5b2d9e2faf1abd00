import type { Shot } from '../shots/shot.ts';
import { countBelow } from './rankValues.ts';

/** Two copies share at least this much from the start of the later one, seconds; their ends may differ. */
const inside = 0.5;

/**
 * Continues repeats into the shots beside them: a scene that plays again is followed by what followed the scene before. A shot that
 * `findRepeats` did not recognize repeats with the lag of a shot next to it, if it shows and sounds what the video has that much
 * earlier. The two copies may be cut differently, so the earlier part is a range of the video and no shot.
 * @param lags for each shot, the time since its first occurrence, seconds; 0 for a first occurrence. Changed in place
 * @param agrees whether a shot shows and sounds what the video has this many seconds earlier
 */
export function continueRepeats(shots: readonly Shot[], lags: Float64Array, agrees: (shot: Shot, lag: number) => boolean): void {
  const starts = Float64Array.from(shots, ({ start }) => start);
  const join = (index: number, beside: number): void => {
    const lag = lags[beside] ?? 0;
    const shot = shots[index]!;
    // A shot that continues into its own copy, such as a still picture, is one scene.
    if (lags[index] !== 0 || lag < shot.end - shot.start || shot.start < lag || !agrees(shot, lag)) return;
    lags[index] = lag;
  };
  for (let index = 1; index < shots.length; index++) join(index, index - 1);
  for (let index = shots.length - 2; index >= 0; index--) join(index, index + 1);
  // What a shot repeats may have become a repeat.
  for (const [index, { start, end }] of shots.entries()) {
    const origin = countBelow(starts, start + Math.min(inside, (end - start) / 2) - lags[index]! + 1e-6) - 1;
    if (lags[index]! > 0 && origin < index) lags[index]! += lags[origin] ?? 0;
  }
}
