import { firstFrame } from './firstFrame.ts';

/** The value of an ascending list that lies nearest; the wish itself where the list is empty. */
export function nearestFrame(times: ArrayLike<number>, wish: number): number {
  const low = firstFrame(times, wish);
  const after = times[low] ?? Infinity;
  const before = times[low - 1] ?? -Infinity;
  if (times.length === 0) return wish;
  return wish - before < after - wish ? before : after;
}
