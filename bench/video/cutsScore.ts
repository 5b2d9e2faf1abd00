import type { Gradual } from './cutsCompose.ts';

/** Cuts that a detector found in a clip, in frame numbers from 0. */
export interface FoundCuts {
  /** First frames of new shots after hard cuts. */
  hard: readonly number[];
  /** First and last changing frame; empty for a detector of hard cuts only. */
  gradual: readonly { first: number; last: number }[];
}

/** Known cuts of a clip. */
export interface KnownCuts {
  hard: readonly number[];
  gradual: readonly Pick<Gradual, 'first' | 'last'>[];
  flashes: readonly number[];
}

/** Counts that can be summed over clips. */
export interface CutCounts {
  /** Hard cuts that are found, false or missed: `near` with a tolerance of ±1 frame, `wide` with ±3 frames. */
  near: Matches;
  wide: Matches;
  gradual: Matches;
  /** Gradual transitions with any detection inside. */
  gradualNoticed: number;
  /** Number of flashes at which a cut was detected. */
  flashAlarms: number;
  flashes: number;
}

export interface Matches {
  found: number;
  false: number;
  missed: number;
}

/** Within this number of frames around a gradual transition, a hard cut counts as part of the transition. */
const around = 2;

/**
 * Scores one clip. A detected hard cut inside a gradual transition counts as neither right nor wrong, because detectors of hard
 * cuts report dissolves in this way. A gradual transition counts as found if it overlaps a detected one by at least half of the
 * shorter of the two; each detection matches one label.
 */
export function scoreCuts(found: FoundCuts, known: KnownCuts): CutCounts {
  const inGradual = (frame: number): boolean => known.gradual.some(({ first, last }) => frame >= first - around && frame <= last + 1 + around);
  const noticed = known.gradual.filter(({ first, last }) =>
    found.hard.some((frame) => frame >= first - around && frame <= last + 1 + around)
    || found.gradual.some((other) => overlap(other, { first, last }) > 0));
  const alarms = [...found.hard, ...found.gradual.map(({ first }) => first)];
  return {
    near: matchHard(found.hard, known.hard, 1, inGradual),
    wide: matchHard(found.hard, known.hard, 3, inGradual),
    gradual: matchGradual(found.gradual, known.gradual),
    gradualNoticed: noticed.length,
    flashAlarms: known.flashes.filter((flash) => alarms.some((frame) => Math.abs(frame - flash) <= 2)).length,
    flashes: known.flashes.length,
  };
}

function matchHard(found: readonly number[], known: readonly number[], tolerance: number, ignored: (frame: number) => boolean): Matches {
  const left = new Set(found);
  let matched = 0;
  for (const cut of known) {
    const near = [...left].filter((frame) => Math.abs(frame - cut) <= tolerance).sort((one, other) => Math.abs(one - cut) - Math.abs(other - cut))[0];
    if (near === undefined) continue;
    left.delete(near);
    matched++;
  }
  return { found: matched, false: [...left].filter((frame) => !ignored(frame)).length, missed: known.length - matched };
}

function matchGradual(found: FoundCuts['gradual'], known: KnownCuts['gradual']): Matches {
  const left = new Set(found);
  let matched = 0;
  for (const label of known) {
    const match = [...left].find((other) => 2 * overlap(other, label) >= Math.min(frames(other), frames(label)));
    if (match === undefined) continue;
    left.delete(match);
    matched++;
  }
  return { found: matched, false: left.size, missed: known.length - matched };
}

type Span = { first: number; last: number };
const frames = ({ first, last }: Span): number => last - first + 1;
const overlap = (one: Span, other: Span): number => Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1;

/** Sums the counts of several clips. */
export function addCounts(counts: readonly CutCounts[]): CutCounts {
  const sum = (pick: (count: CutCounts) => number): number => counts.reduce((total, count) => total + pick(count), 0);
  const matches = (pick: (count: CutCounts) => Matches): Matches => ({
    found: sum((count) => pick(count).found),
    false: sum((count) => pick(count).false),
    missed: sum((count) => pick(count).missed),
  });
  return {
    near: matches(({ near }) => near),
    wide: matches(({ wide }) => wide),
    gradual: matches(({ gradual }) => gradual),
    gradualNoticed: sum(({ gradualNoticed }) => gradualNoticed),
    flashAlarms: sum(({ flashAlarms }) => flashAlarms),
    flashes: sum(({ flashes }) => flashes),
  };
}

/** Returns precision, recall and their harmonic mean, 0–1; 1 if there is nothing to find and nothing was found. */
export function rates({ found, false: wrong, missed }: Matches): { precision: number; recall: number; f1: number } {
  return {
    precision: found + wrong === 0 ? 1 : found / (found + wrong),
    recall: found + missed === 0 ? 1 : found / (found + missed),
    f1: found + wrong + missed === 0 ? 1 : (2 * found) / (2 * found + wrong + missed),
  };
}
