import { firstFrame } from './firstFrame.ts';
import { halfMillisecond } from './nearestFrame.ts';

/**
 * A picture that is shown for longer than this is a held picture, seconds: a slide, a still, or a screen on which nothing happens, of
 * which a recorder of a variable frame rate stores one frame. A video may be cut at any time within a held picture.
 */
export const longestFrame = 1;
/** Distance of the times within a held picture at which a video may be cut, seconds. */
const step = 0.1;

/**
 * Times at which a video may be cut, ascending: the presentation times of its frames and, within held pictures, every tenth of a second.
 * @param frames presentation times of the frames, seconds, ascending; the result is the same array if no picture is held
 * @param ending end of the video, seconds
 */
export function cutTimes(frames: Float64Array, ending: number): Float64Array {
  const endOf = (index: number): number => frames[index + 1] ?? ending;
  if (!frames.some((time, index) => endOf(index) - time > longestFrame)) return frames;
  const times: number[] = [];
  for (const [index, time] of frames.entries()) {
    times.push(time);
    if (endOf(index) - time <= longestFrame) continue;
    for (let count = 1; time + (count + 0.5) * step < endOf(index); count++) times.push(time + count * step);
  }
  return Float64Array.from(times);
}

/** Presentation time of the frame that is shown at `time` (seconds); of the first frame if `time` is before it; `time` itself without frames. */
export function shownFrame(frames: ArrayLike<number>, time: number): number {
  return frames[Math.max(0, firstFrame(frames, time + halfMillisecond) - 1)] ?? time;
}

/** Whether `time` is within a held picture, and not at its first frame. */
export function isHeld(frames: ArrayLike<number>, time: number): boolean {
  const shown = shownFrame(frames, time);
  const next = frames[firstFrame(frames, time + halfMillisecond)] ?? Number.POSITIVE_INFINITY;
  return time - shown > halfMillisecond && next - shown > longestFrame;
}
