import { boundaryGrade, type Boundaries, type Timeline } from '../analysis/timeline.ts';
import { countBelow } from '../timeline/rankValues.ts';
import { integralTo, newnessShare } from './scoreTerms.ts';
import { ShownPieces } from './likeness.ts';
import { mergeRanges, type Range } from './range.ts';
import type { SettledOptions } from './settleOptions.ts';

/** So many seconds of something new show it; more of the same is not newer. */
const enoughSeconds = 2.5;

/** A run between two boundaries. */
export interface Span extends Range {
  /** What its two ends cost. */
  cost: number;
}

/** What the choice is made on: value of every span, where one may cut, and what is forbidden. */
export interface Field {
  timeline: Timeline;
  settled: SettledOptions;
  /** Running integral of the importance. */
  importance: Float64Array;
  /** Merged. */
  forbidden: readonly Range[];
}

/** Pauses shorter than this lie between words of one sentence, seconds. */
const sentencePause = 0.35;

/**
 * What an end at a boundary costs, in seconds of full score: silence next to nothing, music more than a usual second is
 * worth, a voice more than a whole segment.
 */
export function boundaryCost({ grades, pauses, depths }: Boundaries, index: number, keepSpeech: boolean): number {
  const short = keepSpeech && pauses[index]! < sentencePause ? 0.4 : 0;
  switch (grades[index]) {
    case boundaryGrade.shot:
      return short / 2;
    case boundaryGrade.silence:
      return 0.05 + short;
    case boundaryGrade.quiet:
      // Steady room tone is hardly heard when it breaks off; music is.
      return 0.15 + 0.85 * Math.max(0, 1 - depths[index]! / 24) + short;
    case boundaryGrade.shotInSpeech:
      return keepSpeech ? 4 : 1;
    default:
      return keepSpeech ? 8 : 2;
  }
}

/** Where the first forbidden range at or after a time begins; the time itself if it lies in one. */
export function freeUntil(forbidden: readonly Range[], time: number): number {
  for (const range of forbidden) {
    if (range.end <= time + 1e-9) continue;
    return Math.max(time, range.start);
  }
  return Number.POSITIVE_INFINITY;
}

/** All spans of allowed length that begin in `starts`, end in `ends` and touch nothing forbidden. */
export function* spansBetween(field: Field, starts: Range, ends: Range): Iterable<Span> {
  const { boundaries } = field.timeline;
  const { minSegmentSeconds, maxSegmentSeconds, keepSpeech } = field.settled;
  const { times } = boundaries;
  for (let first = countBelow(times, starts.start - 1e-9); first < times.length && times[first]! <= starts.end + 1e-9; first++) {
    if (boundaries.starts[first] === 0) continue;
    const start = times[first]!;
    const limit = Math.min(ends.end, start + maxSegmentSeconds, freeUntil(field.forbidden, start)) + 1e-9;
    const cost = boundaryCost(boundaries, first, keepSpeech);
    for (let last = countBelow(times, Math.max(ends.start, start + minSegmentSeconds) - 1e-9); last < times.length && times[last]! <= limit; last++) {
      if (boundaries.ends[last] === 1) yield { start, end: times[last]!, cost: cost + boundaryCost(boundaries, last, keepSpeech) };
    }
  }
}

/** The spans that are selected, and the value of further spans beside them. */
export class SelectedSpans {
  readonly spans: Span[] = [];
  /** The same, ascending. */
  private readonly ordered: Span[] = [];
  private readonly field: Field;
  private readonly shown: ShownPieces;

  constructor(field: Field, spans: readonly Span[] = []) {
    this.field = field;
    this.shown = new ShownPieces(field.timeline.pieces);
    for (const span of spans) this.add(span);
  }

  add(span: Span): void {
    this.spans.push(span);
    this.ordered.splice(this.placeOf(span.start), 0, span);
    this.shown.add(span);
  }

  /** Integral of the score over a span, were it added. */
  valueOf(span: Range): number {
    const { importance, settled } = this.field;
    const { diversity } = settled;
    const weight = diversity * newnessShare;
    const fresh = weight > 0 ? this.shown.newness(span) * Math.min(enoughSeconds, span.end - span.start) : 0;
    const important = integralTo(importance, span.end) - integralTo(importance, span.start);
    return ((1 - diversity) * important + weight * fresh) / (1 - diversity + weight);
  }

  /** Whether a span keeps its distance from all chosen ones, seconds. */
  isFree(span: Range, distance: number): boolean {
    const place = this.placeOf(span.start);
    const before = this.ordered[place - 1];
    const after = this.ordered[place];
    return (before === undefined || span.start >= before.end + distance - 1e-9) && (after === undefined || span.end <= after.start - distance + 1e-9);
  }

  /** How many chosen spans begin before a time or at it. */
  private placeOf(time: number): number {
    let low = 0;
    let high = this.ordered.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ordered[middle]!.start <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What a span may not touch: given ranges merged. */
export function forbid(...lists: readonly (readonly Range[])[]): Range[] {
  return mergeRanges(lists.flatMap((list) => list.map(({ start, end }) => ({ start, end }))));
}
