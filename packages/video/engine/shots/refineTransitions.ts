import type { Measured } from '../pictures/pictureMeter.ts';
import { cutAt, mergeTransitions, shotsBetween, type CutPlace, type DetectedShots } from './detectShots.ts';
import { findCuts } from './findCuts.ts';
import { findGraduals } from './findGraduals.ts';
import type { Transition } from './shot.ts';

/** A stretch of the video to be decoded picture by picture, from ≤ time < to, seconds. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** What is decoded on both sides of a place, seconds: what is usual there must be seen, and flashes be seen through. */
const margin = 0.4;

/** Two times nearer than this are of one frame, seconds. */
const sameFrame = 1e-4;

/**
 * The windows in which every picture is needed to know the cuts exactly; overlapping ones are one. A sure cut between two
 * frames that follow each other is known already.
 * @param frameTimes presentation times of all frames, seconds, ascending
 */
export function needsExact(places: readonly CutPlace[], frameTimes: Float64Array): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const { after, before, sure } of places) {
    if (sure && firstAfter(frameTimes, after + sameFrame) === firstAfter(frameTimes, before - sameFrame)) continue;
    const from = Math.max(0, after - margin);
    const to = before + margin;
    const last = windows.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else windows.push({ from, to });
  }
  return windows;
}

/** Number of the first frame that is not before a time. */
function firstAfter(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A window with the measurements of all its pictures. */
export interface ExactWindow {
  window: TimeWindow;
  measured: Measured;
}

/**
 * Replaces the cuts of the windows by those that their pictures show, and adds or replaces the dissolves and fades that
 * lie inside one window. Everything else stays as it is.
 * @param end seconds at which the video ends
 */
export function refineTransitions(detected: DetectedShots, windows: readonly ExactWindow[], end: number): DetectedShots {
  const inside = (from: number, to: number): boolean => windows.some(({ window }) => window.from <= from && to < window.to);
  const kept = detected.transitions.filter((transition) => !inside(transition.start, transition.end));
  const exact = windows.flatMap(({ measured }) => exactTransitions(measured));
  const all = [...kept, ...exact];
  const graduals = withoutOverlap(all.filter(({ kind }) => kind !== 'cut'));
  const transitions = mergeTransitions(all.filter(({ kind }) => kind === 'cut'), graduals);
  return {
    transitions,
    shots: shotsBetween(transitions, detected.shots[0]?.start ?? 0, end),
    places: detected.places.filter(({ before }) => !inside(before, before)),
  };
}

function exactTransitions(measured: Measured): Transition[] {
  const { times } = measured.frames;
  return [...findCuts(measured).map(({ picture, score }) => cutAt(times[picture]!, score)), ...findGraduals(measured)];
}

/** Of gradual transitions that overlap, the longest: a window may hold only an end of one. */
function withoutOverlap(graduals: readonly Transition[]): Transition[] {
  const longestFirst = [...graduals].sort((one, other) => other.end - other.start - (one.end - one.start) || one.start - other.start);
  const kept: Transition[] = [];
  for (const gradual of longestFirst) {
    if (!kept.some((other) => other.start < gradual.end && gradual.start < other.end)) kept.push(gradual);
  }
  return kept;
}
