import { firstFrame } from './firstFrame.ts';

/**
 * Tolerance of times, seconds: callers compute times in floating point, and FFmpeg uses whole microseconds. No two frames are
 * closer.
 */
export const halfMillisecond = 5e-4;

/** The entry of an ascending list that is nearest to `time`; `time` itself if the list is empty. */
export function nearestFrame(times: ArrayLike<number>, time: number): number {
  const low = firstFrame(times, time);
  const after = times[low] ?? Infinity;
  const before = times[low - 1] ?? -Infinity;
  if (times.length === 0) return time;
  return time - before < after - time ? before : after;
}
