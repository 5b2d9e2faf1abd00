import type { Measured } from '../pictures/pictureMeter.ts';
import { cutAt, mergeTransitions, shotsBetween, type CutPlace, type DetectedShots } from './detectShots.ts';
import { findCuts } from './findCuts.ts';
import type { Transition } from './shot.ts';

/** A stretch of the video to be decoded picture by picture, from ≤ time < to, seconds. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** What is decoded on both sides of a place, seconds: what is usual there must be seen, and flashes be seen through. */
const margin = 0.4;

/** The windows in which every picture is needed to know the cuts exactly; overlapping ones are one. */
export function needsExact(places: readonly CutPlace[]): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const { after, before } of places) {
    const from = Math.max(0, after - margin);
    const to = before + margin;
    const last = windows.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else windows.push({ from, to });
  }
  return windows;
}

/** A window with the measurements of all its pictures. */
export interface ExactWindow {
  window: TimeWindow;
  measured: Measured;
}

/**
 * Replaces the cuts of the windows by those that their pictures show. Gradual transitions stay as they are, and so does
 * everything outside of the windows.
 * @param end seconds at which the video ends
 */
export function refineTransitions(detected: DetectedShots, windows: readonly ExactWindow[], end: number): DetectedShots {
  const inside = (time: number): boolean => windows.some(({ window }) => window.from <= time && time < window.to);
  const kept = detected.transitions.filter(({ kind, start }) => kind !== 'cut' || !inside(start));
  const exact = windows.flatMap(({ measured }): Transition[] => {
    const { times } = measured.frames;
    return findCuts(measured).map(({ picture, score }) => cutAt(times[picture]!, score));
  });
  const graduals = kept.filter(({ kind }) => kind !== 'cut');
  const cuts = [...kept.filter(({ kind }) => kind === 'cut'), ...exact];
  const transitions = mergeTransitions(cuts, graduals);
  return {
    transitions,
    shots: shotsBetween(transitions, detected.shots[0]?.start ?? 0, end),
    places: detected.places.filter(({ before }) => !inside(before)),
  };
}
