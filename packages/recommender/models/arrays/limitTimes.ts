import type { TrainingData } from '../../engine/data/trainingData.ts';

/** End of the year 1970, in ms since the Unix epoch. */
const yearMs = 365 * 86_400_000;

/**
 * Replaces times in the future by the newest other time, in place. One such time would otherwise be the present time of trending items and of the recency of all
 * interactions. The order of the pairs stays. If all times are in the future, all become unknown.
 * @param latestMs newest time that is possible
 * @returns number of replaced times, the newest and the oldest time that are left (NaN if none), and the number of times in 1970, which are most likely numbers of another unit
 */
export function limitTimes({ time }: TrainingData['pairs'], latestMs: number): { future: number; newest: number; oldest: number; early: number } {
  let newest = Number.NEGATIVE_INFINITY;
  let oldest = Number.POSITIVE_INFINITY;
  for (const each of time) {
    if (!(each <= latestMs)) continue;
    if (each > newest) newest = each;
    if (each < oldest) oldest = each;
  }
  const instead = newest === Number.NEGATIVE_INFINITY ? Number.NaN : newest;
  let future = 0;
  let early = 0;
  for (const [at, each] of time.entries()) {
    if (each >= 0 && each < yearMs) early += 1;
    if (!(each > latestMs)) continue;
    time[at] = instead;
    future += 1;
  }
  return { future, newest: instead, oldest: oldest === Number.POSITIVE_INFINITY ? Number.NaN : oldest, early };
}
