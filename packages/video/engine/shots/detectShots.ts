import type { Measured } from '../pictures/pictureMeter.ts';
import { findCuts } from './findCuts.ts';
import { findGraduals } from './findGraduals.ts';
import type { Shot, Transition } from './shot.ts';

/** Result of the shot detection. */
export interface DetectedShots {
  transitions: Transition[];
  shots: Shot[];
  /**
   * Places with a certain or possible hard cut, ascending. If not every picture was analysed, `needsExact` selects from them
   * the parts of the video to decode again.
   */
  places: CutPlace[];
  /** Numbers of the pages for `FrameTrack.pages`, where packet sizes tell more than the pictures. */
  pages?: Uint32Array;
}

/**
 * Two analysed pictures with a hard cut between them: after < cut ≤ before, seconds. They are consecutive, unless another change is
 * closer than 0.12 s: the two may be the sides of a flash.
 */
export interface CutPlace {
  after: number;
  before: number;
  /** Log-odds of a cut minus the threshold. A value below 0 is not a cut, but a reason to decode all pictures there. */
  score: number;
}

/** Lowest score at which a place is still listed for closer inspection, log-odds. */
const doubtful = -2.5;

/**
 * Finds hard cuts, dissolves and fades in the measured pictures, and the shots between them. The time of a cut is the
 * presentation time of the first analysed picture of the new shot.
 * @param measured measurements of the analysed pictures, ascending in time
 * @param end end of the video, seconds
 */
export function detectShots(measured: Measured, end: number): DetectedShots {
  const { times } = measured.frames;
  const candidates = findCuts(measured, doubtful);
  const cuts = candidates.filter(({ score }) => score >= 0).map(({ picture, score }) => cutAt(times[picture]!, score));
  const transitions = mergeTransitions(cuts, findGraduals(measured));
  return {
    transitions,
    shots: shotsBetween(transitions, times[0] ?? 0, end),
    places: candidates.map(({ first, last, score }) => ({ after: times[first - 1]!, before: times[last]!, score })),
  };
}

/** Makes a cut at `time` (seconds). `score` is in log-odds; the confidence is its logistic function. */
export function cutAt(time: number, score: number): Transition {
  return { kind: 'cut', start: time, end: time, confidence: 1 / (1 + Math.exp(-score)) };
}

/** Merges cuts and gradual transitions in chronological order. A cut within a gradual transition is dropped as part of it. */
export function mergeTransitions(cuts: readonly Transition[], graduals: readonly Transition[]): Transition[] {
  const alone = cuts.filter(({ start }) => !graduals.some((gradual) => gradual.start <= start && (start < gradual.end || (gradual.blended === true && start === gradual.end))));
  return [...alone, ...graduals].sort((one, other) => one.start - other.start || one.end - other.end);
}

/** The shots between transitions, from `start` to `end` (seconds). Empty shots are omitted. */
export function shotsBetween(transitions: readonly Transition[], start: number, end: number): Shot[] {
  const shots: Shot[] = [];
  let from = start;
  for (const transition of transitions) {
    if (transition.start > from) shots.push({ start: from, end: Math.min(transition.start, end) });
    from = Math.max(from, transition.end);
  }
  if (end > from) shots.push({ start: from, end });
  return shots;
}
