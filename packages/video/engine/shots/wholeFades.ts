import { firstFrame } from '../media/firstFrame.ts';
import type { FrameTrack } from '../pictures/frameTrack.ts';
import { shotsBetween } from './detectShots.ts';
import type { Shot, Transition } from './shot.ts';

/** Luma of video black and white, from and to which fades go. */
const ends = [16, 235] as const;
/**
 * Along a fade, the contrast and the distance of the brightness from black or white differ by at least these shares from those `seconds` closer to it, and the contrast
 * by `total` in the part that is added to a transition: the fades of a trailer have 10 %, pans 2 to 4 % for a moment.
 */
const fade = { seconds: 0.1, contrast: 0.03, brightness: 0.02, total: 1 / 3 } as const;
/** Pictures that are further apart do not follow each other, because others between them were not decoded; seconds. */
const gap = 0.25;
/** A shot that would keep fewer seconds without its fades keeps them. */
const leastShot = 0.5;
/** Pictures with less contrast (levels of grey) show nothing. */
const invisible = 1;
/** Maximum duration of black between the halves of a fade, seconds. */
const maxBlack = 1;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/**
 * Extends fades from and to black or white to their whole course: of a slow fade, the detectors find the part that changes most.
 * The shots next to them become shorter, so that no segment starts just before such a fade or ends within it. A gradual transition in the course of a fade is a part of it.
 */
export function withWholeFades<Found extends { transitions: readonly Transition[]; shots: readonly Shot[] }>(found: Found, frames: FrameTrack): Found {
  const [first, end] = [found.shots[0]?.start ?? 0, found.shots.at(-1)?.end ?? 0];
  const dark = toDark(found.transitions, frames);
  const whole = toFullPictures(dark, shotsBetween(dark, first, end), frames);
  return { ...found, transitions: whole, shots: shotsBetween(whole, first, end) };
}

/** Extends fades to the pictures at which they begin to darken or are light, but leaves at least `leastShot` of each shot. */
function toFullPictures(transitions: readonly Transition[], shots: readonly Shot[], frames: FrameTrack): Transition[] {
  const graduals = transitions.filter(mayFade);
  const starts = new Map(graduals.map(({ start }) => [start, start]));
  const finishes = new Map(graduals.map(({ end }) => [end, end]));
  for (const shot of shots) {
    const start = finishes.has(shot.start) ? fullPicture(frames, shot.start, 1) : shot.start;
    const end = starts.has(shot.end) ? fullPicture(frames, shot.end, -1) : shot.end;
    if (end - start < leastShot) continue;
    finishes.set(shot.start, start);
    starts.set(shot.end, end);
  }
  return transitions.map((known) => (mayFade(known) ? { ...known, start: starts.get(known.start)!, end: finishes.get(known.end)! } : known));
}

/** Cuts do not fade, and of a cut that is blended over some pictures, all of them are known. */
function mayFade({ kind, blended }: Transition): boolean {
  return kind !== 'cut' && blended !== true;
}

/** The time to which a fade goes on from `time` to a full picture, if need be through black; `time` itself if there is no such fade. */
function fullPicture(frames: FrameTrack, time: number, direction: 1 | -1): number {
  const { times, contrast } = frames;
  let index = firstFrame(times, time - sameFrame);
  while (contrast[index + direction] !== undefined && contrast[index]! < invisible && Math.abs(times[index + direction]! - time) <= maxBlack) index += direction;
  const black = times[index] ?? time;
  const full = courseEnd(frames, black, direction, 1);
  return full === black ? time : full;
}

/** Extends fades to the picture at which they are dark, up to the next cut. */
function toDark(transitions: readonly Transition[], frames: FrameTrack): Transition[] {
  const cuts = transitions.filter(({ kind }) => kind === 'cut');
  const whole = transitions.map((known): Transition => {
    if (!mayFade(known)) return known;
    const [light, dark] = [known.start, known.end].map((time) => frames.contrast[firstFrame(frames.times, time - sameFrame)] ?? 0) as [number, number];
    const start = light < dark ? courseEnd(frames, known.start, -1, -1) : known.start;
    const end = dark < light ? courseEnd(frames, known.end, 1, -1) : known.end;
    return cuts.some((cut) => start < cut.start && cut.start < end) ? known : { ...known, start, end };
  });
  return whole.filter((known) => known.kind === 'cut' || !whole.some((other) => other !== known && other.kind !== 'cut' && other.start <= known.start && known.end <= other.end));
}

/**
 * The time to which a fade goes on from `time` in `direction`, where it becomes fuller (`growth` 1) or darker (−1); `time` itself if there is no such fade.
 */
function courseEnd({ times, contrast, brightness }: FrameTrack, time: number, direction: 1 | -1, growth: 1 | -1): number {
  const first = firstFrame(times, time - sameFrame);
  const goesOn = (near: number, colour: number): boolean => {
    let far = near + direction;
    while (far > 0 && far < times.length - 1 && Math.abs(times[far]! - times[near]!) < fade.seconds - sameFrame) far += direction;
    if (times[far] === undefined || Math.abs(times[far]! - times[near]!) > gap) return false;
    const [faint, full] = growth === 1 ? [near, far] : [far, near];
    const distance = (index: number): number => Math.abs(brightness[index]! - colour);
    return contrast[full]! > contrast[faint]! && contrast[full]! >= (1 + fade.contrast) * contrast[faint]! && distance(full) >= (1 + fade.brightness) * distance(faint);
  };
  for (const colour of ends) {
    let index = first;
    while (index < times.length && goesOn(index, colour)) index += direction;
    const [least, most] = growth === 1 ? [first, index] : [index, first];
    if (index !== first && contrast[most]! >= (1 + fade.total) * contrast[least]!) return times[index]!;
  }
  return time;
}
