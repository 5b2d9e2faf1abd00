import type { Analysis } from '../analysis/analysis.ts';
import { cutTimes } from '../media/heldPictures.ts';
import { soundStep } from '../sound/soundTrack.ts';
import type { FrameTrack } from '../pictures/frameTrack.ts';
import { isFlatAt } from './fadedPictures.ts';
import { countBelow } from './rankValues.ts';
import { measureQuiet, type Quiet } from './measureQuiet.ts';
import { findJumps } from '../shots/findJumps.ts';
import { boundaryGrade, permission, timelineStep, type Boundaries } from '../analysis/timeline.ts';

/**
 * Minimum distance of boundaries within a shot from the edges of the shot, seconds: less would show a fragment of the shot.
 */
const edgeDistance = 0.3;
/**
 * A segment that crosses a cut shows at least this much of the shots on both sides, seconds: less is seen as a stray fragment
 * of another shot.
 */
const crossing = 1;
/** Shots below this length, seconds, are no first or last shot of a segment, except among other shots of this kind. */
const fleeting = 0.7;

interface Place {
  time: number;
  grade: number;
  pause: number;
  depth: number;
  start: number;
  end: number;
}

/**
 * Lists where segments may start and end: at the edges of shots, and within shots at the best frame of each half second,
 * or at the best time within a held picture. Silence and distance from speech determine what is best. No boundary is inside a transition. No segment ends just after a
 * cut or starts just before a cut, or starts or ends with black or one colour for longer than a blink. Within a shot, a sudden jump of the picture counts as a cut, because the jump may be a cut between
 * two parts of one take, which resemble each other.
 */
export function listBoundaries(analysis: Analysis): Boundaries {
  const quiet = measureQuiet(analysis.sound);
  const places = new Map<number, Place>();
  const frames = analysis.frameTimes;
  const ending = Math.max(analysis.info.duration, (frames.at(-1) ?? 0) + 1e-3);
  const cuts = cutTimes(frames, ending);
  const add = (place: Place): void => {
    const known = places.get(place.time);
    places.set(place.time, known === undefined ? place : { ...known, start: freer(known.start, place.start), end: freer(known.end, place.end) });
  };
  const { shots } = analysis;
  const jumps = findJumps(analysis.frames, frames);
  const lasts = Float64Array.from(jumps, ({ last }) => last);
  const hasJump = (from: number, to: number): boolean => (jumps[countBelow(lasts, from)]?.first ?? Infinity) < to;
  const isFleeting = (number: number, least = fleeting): boolean => shots[number] !== undefined && shots[number].end - shots[number].start < least - 1e-6;
  // A gradual transition soon after a cut may be movement of the new shot, so a segment must not end or start there.
  const leastBefore = (number: number): number => (shots[number + 1] !== undefined && shots[number + 1]!.start > shots[number]!.end ? crossing : fleeting);
  const leastAfter = (number: number): number => (shots[number - 1] !== undefined && shots[number - 1]!.end < shots[number]!.start ? crossing : fleeting);
  for (const [number, shot] of shots.entries()) {
    const start = snapTime(frames, shot.start, ending);
    const last = number === shots.length - 1;
    const end = last && shot.end >= (frames.at(-1) ?? 0) ? ending : snapTime(frames, shot.end, ending);
    add({ ...edgeOf(quiet, start, ending), start: allow(last || !isFleeting(number, leastAfter(number)) || isFleeting(number + 1)), end: permission.never });
    for (const place of innerPlaces(cuts, quiet, start + edgeDistance, end - edgeDistance)) {
      // The first shot has no cut before it, and the last shot none after it.
      const mayStart = (last || end - place.time >= crossing) && !hasJump(place.time, Math.min(place.time + crossing, end - edgeDistance));
      const mayEnd = (number === 0 || place.time - start >= crossing) && !hasJump(Math.max(place.time - crossing, start + edgeDistance), place.time);
      add({ ...place, start: allow(mayStart), end: allow(mayEnd) });
    }
    add({ ...edgeOf(quiet, end, ending), start: permission.never, end: allow(number === 0 || !isFleeting(number, leastBefore(number)) || isFleeting(number - 1)) });
  }
  return packPlaces([...places.values()].map((place) => outsideFlat(place, analysis.frames)).sort((a, b) => a.time - b.time));
}

/** The place, at which no segment may start or end with flat pictures unless the preview has no other way to its length. */
function outsideFlat(place: Place, frames: FrameTrack): Place {
  const { time, start, end } = place;
  const allowed = (known: number, direction: 1 | -1): number => (known === permission.always && isFlatAt(frames, time, direction) ? permission.nearCut : known);
  return { ...place, start: allowed(start, 1), end: allowed(end, -1) };
}

function allow(holds: boolean): number {
  return holds ? permission.always : permission.nearCut;
}

function freer(one: number, other: number): number {
  return one === permission.never || other === permission.never ? Math.max(one, other) : Math.min(one, other);
}

function edgeOf(quiet: Quiet, time: number, ending: number): Omit<Place, 'start' | 'end'> {
  const speaks = time > 0 && time < ending && quiet.speaks(time);
  return { time, grade: speaks ? boundaryGrade.shotInSpeech : boundaryGrade.shot, pause: quiet.pause(time), depth: quiet.depth(time) };
}

/** The best of the given times in each half second in from ≤ time ≤ to. */
function* innerPlaces(frames: Float64Array, quiet: Quiet, from: number, to: number): Iterable<Place> {
  let best: Place | null = null;
  let bestCost = Number.POSITIVE_INFINITY;
  let slot = -1;
  for (let index = countBelow(frames, from); index < frames.length && frames[index]! <= to; index++) {
    const time = frames[index]!;
    const own = Math.floor(time / timelineStep);
    if (own !== slot && best !== null) {
      yield best;
      best = null;
      bestCost = Number.POSITIVE_INFINITY;
    }
    slot = own;
    const cost = quiet.cost(time);
    if (cost >= bestCost) continue;
    bestCost = cost;
    const grade = quiet.speaks(time) ? boundaryGrade.speech : quiet.silent(time) ? boundaryGrade.silence : boundaryGrade.quiet;
    best = { time, grade, pause: quiet.pause(time), depth: quiet.depth(time), start: permission.always, end: permission.always };
  }
  if (best !== null) yield best;
}

/** Time of the frame nearest to `time`, or `ending` (the end of the video) if that is nearer. `frames` must be ascending. */
export function snapTime(frames: Float64Array, time: number, ending: number): number {
  const index = countBelow(frames, time);
  const after = index < frames.length ? frames[index]! : ending;
  const before = index > 0 ? frames[index - 1]! : after;
  return time - before < after - time ? before : after;
}

function packPlaces(places: readonly Place[]): Boundaries {
  return {
    times: Float64Array.from(places, (place) => place.time),
    grades: Uint8Array.from(places, (place) => place.grade),
    pauses: Float32Array.from(places, (place) => Math.round(place.pause / soundStep) * soundStep),
    depths: Float32Array.from(places, (place) => place.depth),
    starts: Uint8Array.from(places, (place) => place.start),
    ends: Uint8Array.from(places, (place) => place.end),
  };
}
