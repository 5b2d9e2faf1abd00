import { firstFrame } from '../media/firstFrame.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { withKnownPages } from './certainChanges.ts';
import { cutAt, mergeTransitions, shotsBetween, type CutPlace, type DetectedShots } from './detectShots.ts';
import { findCuts } from './findCuts.ts';
import { findGraduals, joinThroughBlack } from './findGraduals.ts';
import type { Transition } from './shot.ts';

/** A part of the video to decode picture by picture, from ≤ time < to, seconds. */
export interface TimeWindow {
  from: number;
  to: number;
}

/**
 * Margin to decode on both sides of a place, seconds: the detector needs the neighbourhood of a cut and both sides of a flash.
 * On tuning seeds, 0.2 s finds the same cuts as 0.4 s, and 0.13 s mistakes a flash for a cut.
 */
const margin = 0.2;

/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/** Places with at least this score (log-odds) are decoded whatever their packet sizes are. */
const narrow = -1;
/**
 * A packet with a new picture is larger than this factor times the upper quartile of the packets around it. Places with a
 * score below `narrow` and no such packet are not decoded, which saves a quarter of the decoding.
 */
const large = 1.3;
/** Usual packet size (bytes) below which almost nothing moves. There, sizes say nothing and decoding is cheap. */
const still = 200;
/** Number of packets on each side that determine the usual size. */
const reach = 12;

/**
 * Lists the time windows in which every picture must be decoded to locate the cuts exactly. Overlapping windows are merged. A
 * certain cut between two consecutive frames needs no window.
 * @param places result of `detectShots` or `detectFromKeys`, ascending
 * @param packets index of all packets of the video stream
 * @returns windows in ascending order
 */
export function needsExact(places: readonly CutPlace[], packets: PacketIndex): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const { after, before, score } of places) {
    const first = firstFrame(packets.times, after + sameFrame);
    const last = firstFrame(packets.times, before - sameFrame);
    if (score >= 0 ? first === last : score < narrow && !holdsLarge(packets, first, last)) continue;
    const from = Math.max(0, after - margin);
    const to = before + margin;
    const previous = windows.at(-1);
    if (previous !== undefined && from <= previous.to) previous.to = Math.max(previous.to, to);
    else windows.push({ from, to });
  }
  return windows;
}

/** Whether a packet from `first` to `last` is a key frame or is large, or the packets around are too small to tell. */
function holdsLarge({ sizes, keys }: PacketIndex, first: number, last: number): boolean {
  const around: number[] = [];
  let largest = 0;
  for (let at = Math.max(0, first - reach); at <= Math.min(sizes.length - 1, last + reach); at++) {
    const inside = at >= first && at <= last;
    if (keys[at] === 1 && inside) return true;
    if (inside) largest = Math.max(largest, sizes[at]!);
    else if (keys[at] !== 1) around.push(sizes[at]!);
  }
  around.sort((one, other) => one - other);
  const usual = around[Math.floor(around.length * 0.75)] ?? 0;
  return usual < still || largest >= large * usual;
}

/** A time window with the measurements of all its pictures. */
export interface ExactWindow {
  window: TimeWindow;
  measured: Measured;
}

/**
 * Replaces the cuts in the windows, behind their first picture, by the cuts that the exact measurements show, and replaces or adds dissolves and fades that
 * lie within one window. All other transitions are unchanged.
 * @param end end of the video, seconds
 */
export function refineTransitions(detected: DetectedShots, windows: readonly ExactWindow[], end: number): DetectedShots {
  // The first picture of a window has none before it, so the window says nothing about a cut there: encoders place key frames, at which windows begin, at cuts.
  const inside = (from: number, to: number): boolean => windows.some(({ window }) => window.from + sameFrame < from && to < window.to);
  const kept = detected.transitions.filter((transition) => !inside(transition.start, transition.end));
  const exact = windows.flatMap(({ measured }) => exactTransitions(withKnownPages(measured, detected.transitions)));
  const all = [...kept, ...exact];
  // A window may contain one half of a fade through black, while the other half is known from the first detection.
  const graduals = withoutOverlap(joinThroughBlack(all.filter(({ kind }) => kind !== 'cut').sort((one, other) => one.start - other.start)));
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

/** Keeps the longest of overlapping gradual transitions, because a window may contain only one end of a transition. */
function withoutOverlap(graduals: readonly Transition[]): Transition[] {
  const longestFirst = [...graduals].sort((one, other) => other.end - other.start - (one.end - one.start) || one.start - other.start);
  const kept: Transition[] = [];
  for (const gradual of longestFirst) {
    if (!kept.some((other) => other.start < gradual.end && gradual.start < other.end)) kept.push(gradual);
  }
  return kept;
}
