import type { Warning } from '../analysis/analysis.ts';
import { listCrossfades, type Range } from './range.ts';

/** Less than half a frame of any video: a smaller difference comes from the rounding of times. */
const negligible = 1e-3;

/**
 * Warns of crossfades that are shorter than requested, because their segments are.
 * @param segments in the order of the preview
 * @param crossfade requested crossfade, seconds
 * @returns no warning if all crossfades have the requested length
 */
export function warnOfCrossfades(segments: readonly Range[], crossfade: number): Warning[] {
  const fades = listCrossfades(segments, crossfade);
  const short = fades.filter((fade) => fade < crossfade - negligible);
  if (short.length === 0) return [];
  const least = Math.min(...short);
  return [{
    code: 'crossfade-shortened',
    detail: `${short.length} of ${fades.length} crossfades are shorter than the requested ${crossfade} s, the shortest with ${least.toFixed(1)} s, because a crossfade takes at most half of a segment. `
      + `Use a crossfade of at most ${Math.floor(least * 10) / 10} s, or segments of at least ${Number((2 * crossfade).toFixed(3))} s (min_segment_duration, max_segment_duration).`,
  }];
}
