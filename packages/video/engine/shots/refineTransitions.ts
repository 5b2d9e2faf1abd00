import { firstFrame } from '../media/firstFrame.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';
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

/**
 * What is decoded on both sides of a place, seconds: what is usual there must be seen, and flashes be seen through. On
 * tuning seeds 0.2 finds the same cuts as 0.4, and 0.13 takes a flash for one.
 */
const margin = 0.2;

/** Two times nearer than this are of one frame, seconds. */
const sameFrame = 1e-4;

/** What is in doubt by no more than this, log-odds, is looked at whatever its packets are. */
const narrow = -1;
/**
 * A packet that holds a new picture is larger than most around it: so many times their upper quartile. What is in more doubt
 * and has none is taken for no cut, without a closer look, which saves a quarter of the decoding there.
 */
const large = 1.3;
/** Bytes of packets in which next to nothing moves: there sizes tell nothing, and decoding costs as little. */
const still = 200;
/** Packets on each side that tell what is usual. */
const reach = 12;

/**
 * The windows in which every picture is needed to know the cuts exactly; overlapping ones are one. A sure cut between two
 * frames that follow each other is known already.
 * @param packets of all frames
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

/** Whether one of the packets from `first` to `last` is a key frame or stands out from those around, or may do so unseen. */
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
