import { steepestStep, type FrameTrack } from '../pictures/frameTrack.ts';
import type { Shot } from '../shots/shot.ts';
import { countBelow } from './rankValues.ts';

/** Luma of video black and white, from and to which fades go. */
const ends = [16, 235] as const;
/**
 * A picture is flat if both its standard deviation and its steepest step are below these levels of grey: it shows black or one colour
 * to the eye. Starfields and small lights have steps of 50 levels and more.
 */
const flat = { contrast: 6, step: 24 } as const;
/** Fewer seconds of flat pictures are a blink. */
const leastFlat = 0.2;
/** What follows flat pictures is a picture from this standard deviation on, levels of grey, if it comes within `near` seconds. */
const picture = { contrast: 12, near: 2 } as const;
/**
 * Along a fade, the contrast and the distance of the brightness from black or white differ by at least these shares from those `seconds` closer to it, and the contrast
 * by `total` in the part that is added to a transition: the fades of a trailer have 10 %, pans 2 to 4 % for a moment.
 */
const fade = { seconds: 0.1, contrast: 0.03, brightness: 0.02, total: 1 / 3 } as const;
/** Pictures that are further apart do not follow each other, because others between them were not decoded; seconds. */
const gap = 0.25;
/** A shot that would keep fewer seconds without its fades keeps them. */
const leastShot = 1;
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

/**
 * The shots without fades from and to black or white that reach into them: of a slow fade, the detectors find the part that changes most.
 * A shot ends where its fade starts, so that no segment starts just before the fade or ends within it.
 */
export function trimFades(shots: readonly Shot[], frames: FrameTrack): Shot[] {
  return shots.map((shot, number) => {
    const start = number > 0 && shots[number - 1]!.end < shot.start ? lightEnd(frames, shot.start, 1) : shot.start;
    const end = number + 1 < shots.length && shots[number + 1]!.start > shot.end ? lightEnd(frames, shot.end, -1) : shot.end;
    return end - start >= leastShot ? { start, end } : shot;
  });
}

/** Time at which a fade through `time` has its full picture, `direction` from `time`; `time` itself if there is no fade. */
function lightEnd({ times, contrast, brightness }: FrameTrack, time: number, direction: 1 | -1): number {
  const first = countBelow(times, time - sameFrame);
  const isFading = (faint: number, colour: number): boolean => {
    let full = faint + direction;
    while (full > 0 && full < times.length - 1 && Math.abs(times[full]! - times[faint]!) < fade.seconds - sameFrame) full += direction;
    const distance = (index: number): number => Math.abs(brightness[index]! - colour);
    return times[full] !== undefined && Math.abs(times[full]! - times[faint]!) <= gap
      && contrast[full]! >= (1 + fade.contrast) * contrast[faint]! && distance(full) >= (1 + fade.brightness) * distance(faint);
  };
  for (const colour of ends) {
    let index = first;
    while (index < times.length && isFading(index, colour)) index += direction;
    if (index !== first && contrast[index]! >= (1 + fade.total) * contrast[first]!) return times[index]!;
  }
  return time;
}
