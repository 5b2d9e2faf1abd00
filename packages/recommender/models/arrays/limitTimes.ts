import type { TrainingData } from '../../engine/data/trainingData.ts';

/**
 * Replaces times in the future by the newest other time, in place. One such time would otherwise be the present time of trending items and of the recency of all
 * interactions. The order of the pairs stays. If all times are in the future, all become unknown.
 * @param latestMs newest time that is possible
 * @returns number of replaced times, and the newest time that is left (NaN if none)
 */
export function limitTimes({ time }: TrainingData['pairs'], latestMs: number): { future: number; newest: number } {
  let newest = Number.NEGATIVE_INFINITY;
  for (const each of time) if (each <= latestMs && each > newest) newest = each;
  const instead = newest === Number.NEGATIVE_INFINITY ? Number.NaN : newest;
  let future = 0;
  for (const [at, each] of time.entries()) {
    if (!(each > latestMs)) continue;
    time[at] = instead;
    future += 1;
  }
  return { future, newest: instead };
}
