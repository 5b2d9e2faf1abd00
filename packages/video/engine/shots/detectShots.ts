import type { Measured } from '../pictures/pictureMeter.ts';
import { findCuts } from './findCuts.ts';
import { findGraduals } from './findGraduals.ts';
import type { Shot, Transition } from './shot.ts';

/** Transitions and shots of a video, and places that need exact decoding. */
export interface DetectedShots {
  transitions: Transition[];
  shots: Shot[];
  /** Where a hard cut is or may be, ascending: what `needsExact` chooses from when not every picture was analysed. */
  places: CutPlace[];
}

/** Two pictures that were analysed one after the other, with a cut between them: after < cut ≤ before, seconds. */
export interface CutPlace {
  after: number;
  before: number;
  /** Log-odds of a cut over the threshold; below 0 it is only worth a closer look. */
  score: number;
}

/** Places this far below the threshold are worth a closer look, log-odds. */
const doubtful = -2.5;

/**
 * Finds hard cuts, dissolves and fades in measured pictures, and the shots between them. A cut lies at the first
 * analysed picture of the new shot.
 * @param end seconds at which the video ends
 */
export function detectShots(measured: Measured, end: number): DetectedShots {
  const { times } = measured.frames;
  const candidates = findCuts(measured, doubtful);
  const cuts = candidates.filter(({ score }) => score >= 0).map(({ picture, score }) => cutAt(times[picture]!, score));
  const transitions = mergeTransitions(cuts, findGraduals(measured));
  return {
    transitions,
    shots: shotsBetween(transitions, times[0] ?? 0, end),
    places: candidates.map(({ picture, score }) => ({ after: times[picture - 1]!, before: times[picture]!, score })),
  };
}

/** @param score log-odds over the threshold */
export function cutAt(time: number, score: number): Transition {
  return { kind: 'cut', start: time, end: time, confidence: 1 / (1 + Math.exp(-score)) };
}

/** A cut inside a gradual transition is part of it. */
export function mergeTransitions(cuts: readonly Transition[], graduals: readonly Transition[]): Transition[] {
  const alone = cuts.filter(({ start }) => !graduals.some((gradual) => gradual.start <= start && start < gradual.end));
  return [...alone, ...graduals].sort((one, other) => one.start - other.start || one.end - other.end);
}

/** The runs between transitions, from the first picture to the end; empty ones are left out. */
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
