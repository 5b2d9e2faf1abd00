import { steepestStep, type FrameTrack } from '../pictures/frameTrack.ts';
import { countBelow } from './rankValues.ts';

/**
 * A picture is flat if both its standard deviation and its steepest step are below these levels of grey: it shows black or one colour
 * to the eye. Starfields and small lights have steps of 50 levels and more.
 */
const flat = { contrast: 6, step: 24 } as const;
/** Fewer seconds of flat pictures are a blink. */
const leastFlat = 0.2;
/** What follows flat pictures is a picture from this standard deviation on, levels of grey, if it comes within `near` seconds. */
const picture = { contrast: 12, near: 2 } as const;
/** Pictures that are further apart do not follow each other, because others between them were not decoded; seconds. */
const gap = 0.25;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/** Whether a picture shows black or one colour to the eye. */
export function isFlat(frames: FrameTrack, index: number): boolean {
  return frames.contrast[index]! < flat.contrast && steepestStep(frames, index) < flat.step;
}

/**
 * Whether a segment that starts (`direction` 1) or ends (−1) at `time` would start or end with at least 0.2 s of flat pictures
 * although a picture is right behind or before them, as in a fade that the detectors took for something else. False where too few
 * pictures are known.
 */
export function isFlatAt(frames: FrameTrack, time: number, direction: 1 | -1): boolean {
  const { times, contrast } = frames;
  const isNext = (index: number, from: number): boolean => times[index] !== undefined && Math.abs(times[index]! - from) <= gap;
  let index = countBelow(times, time - sameFrame) - (direction === 1 ? 0 : 1);
  let last = time;
  for (; isNext(index, last) && isFlat(frames, index); index += direction) last = times[index]!;
  // A picture is shown until the next one.
  if (direction === 1 && last > time && isNext(index, last)) last = times[index]!;
  if (Math.abs(last - time) < leastFlat - sameFrame) return false;
  for (; times[index] !== undefined && Math.abs(times[index]! - time) <= picture.near; index += direction) {
    if (contrast[index]! >= picture.contrast) return true;
  }
  return false;
}
