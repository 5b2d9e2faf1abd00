import { boundaryGrade, permission, type Boundaries, type Timeline } from '../analysis/timeline.ts';
import { countBelow } from '../timeline/rankValues.ts';
import { integralTo, newnessShare } from './scoreTerms.ts';
import { ShownPieces } from './likeness.ts';
import { mergeRanges, type Range } from './range.ts';
import type { Repeats } from './repeats.ts';
import type { SettledOptions } from './settleOptions.ts';

/**
 * Only 2.5 seconds of each shot of a span count for novelty. When they counted once for a span of several shots, previews of composed
 * films (tuning seeds 1 to 20, `accurate`) showed 66.3 instead of 68.6 % of the scenes and 58.0 instead of 62.4 % of the quiet ones.
 */
const enoughSeconds = 2.5;
/**
 * What a span has beyond 4 seconds counts by half for its importance, so that several moments are shown rather than one at length. On
 * the same films, 69.0 instead of 68.6 % of the scenes are shown, and 97.0 instead of 95.3 % of the planted events; with 3 seconds, 95.3 %.
 */
const length = { full: 4, rest: 0.5 } as const;

/** A time range that starts and ends at boundaries. */
export interface Span extends Range {
  /** Sum of the boundary costs of both ends, in seconds of full score. */
  cost: number;
}

/** Input of the span selection. */
export interface Field {
  timeline: Timeline;
  settled: SettledOptions;
  /** Cumulative integral of the importance (see `integrate`). */
  importance: Float64Array;
  /** Ranges that no span may overlap; merged, ascending. */
  forbidden: readonly Range[];
  /** Scenes that occur several times and of which the preview shows one occurrence; null if it may show all. */
  repeats: Repeats | null;
  /** Whether segments may start and end near cuts, because the preview has no other way to its length. */
  nearCuts: boolean;
}

/** Whether a segment may start or end at a boundary with this value of `permission`. */
export function mayCut({ nearCuts }: Field, value: number | undefined): boolean {
  return value === permission.always || (nearCuts && value === permission.nearCut);
}

/** Pauses shorter than this (seconds) are between words of one sentence. */
const sentencePause = 0.35;

/**
 * Pauses shorter than this (seconds) are within a sentence, also within words: of the places without speech in generated talks, 98 % of
 * those between sentences have longer pauses, and 1 % of those within sentences.
 */
const wordPause = 0.2;

/** Whether a boundary is within a sentence, as far as pauses tell. */
export function isWithinSentence({ grades, pauses }: Boundaries, index: number): boolean {
  const grade = grades[index]!;
  return grade >= boundaryGrade.shotInSpeech || (grade !== boundaryGrade.shot && pauses[index]! < wordPause);
}

/**
 * Cost of a segment that starts or ends at a boundary, in seconds of full score. Silence costs almost nothing, loud sound up
 * to 1, and speech at least 4 if `keepSpeech` is true, which is more than a typical segment is worth.
 */
export function boundaryCost({ grades, pauses, depths }: Boundaries, index: number, keepSpeech: boolean): number {
  const short = keepSpeech && pauses[index]! < sentencePause ? 0.4 : 0;
  switch (grades[index]) {
    case boundaryGrade.shot:
      return short / 2;
    case boundaryGrade.silence:
      return 0.05 + short;
    case boundaryGrade.quiet:
      // An abrupt end of steady room tone is hardly audible; an abrupt end of music is.
      return 0.15 + 0.85 * Math.max(0, 1 - depths[index]! / 24) + short;
    case boundaryGrade.shotInSpeech:
      return keepSpeech ? 4 : 1;
    default:
      return keepSpeech ? 8 : 2;
  }
}

/**
 * Start time of the first forbidden range at or after `time`; `time` itself if it is in a forbidden range; ∞ if none follows.
 */
export function freeUntil(forbidden: readonly Range[], time: number): number {
  for (const range of forbidden) {
    if (range.end <= time + 1e-9) continue;
    return Math.max(time, range.start);
  }
  return Number.POSITIVE_INFINITY;
}

/** Generates all spans of allowed length that start in `starts`, end in `ends` and do not overlap a forbidden range. */
export function* spansBetween(field: Field, starts: Range, ends: Range): Iterable<Span> {
  const { boundaries } = field.timeline;
  const { minSegmentSeconds, maxSegmentSeconds, keepSpeech } = field.settled;
  const { times } = boundaries;
  for (let first = countBelow(times, starts.start - 1e-9); first < times.length && times[first]! <= starts.end + 1e-9; first++) {
    if (!mayCut(field, boundaries.starts[first])) continue;
    const start = times[first]!;
    const limit = Math.min(ends.end, start + maxSegmentSeconds, freeUntil(field.forbidden, start)) + 1e-9;
    const cost = boundaryCost(boundaries, first, keepSpeech);
    for (let last = countBelow(times, Math.max(ends.start, start + minSegmentSeconds) - 1e-9); last < times.length && times[last]! <= limit; last++) {
      if (mayCut(field, boundaries.ends[last])) yield { start, end: times[last]!, cost: cost + boundaryCost(boundaries, last, keepSpeech) };
    }
  }
}

/** The selected spans, and the value that a further span would add to them. */
export class SelectedSpans {
  readonly spans: Span[] = [];
  /** `spans` in chronological order. */
  private readonly ordered: Span[] = [];
  /** First occurrences of what `spans` show. */
  private readonly origins: Range[] = [];
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
    if (this.field.repeats !== null) this.origins.push(...this.field.repeats.originsOf(span));
  }

  /** Value of a span if it were added, in seconds of full score: the integral of its importance, less if it is long, and what it shows anew. */
  valueOf(span: Range): number {
    const { importance, settled } = this.field;
    const { diversity } = settled;
    const weight = diversity * newnessShare;
    const fresh = weight > 0 ? this.shown.freshSeconds(span, enoughSeconds) : 0;
    const seconds = span.end - span.start;
    const counted = Math.min(1, (length.full + length.rest * (seconds - length.full)) / seconds);
    const important = counted * (integralTo(importance, span.end) - integralTo(importance, span.start));
    return ((1 - diversity) * important + weight * fresh) / (1 - diversity + weight);
  }

  /** Whether a selected span shows the same scene. */
  showsAgain(span: Range): boolean {
    return this.field.repeats !== null && this.field.repeats.showsAgain(span, this.origins);
  }

  /** Whether a span is at least `distance` seconds away from every selected span. */
  isFree(span: Range, distance: number): boolean {
    const place = this.placeOf(span.start);
    const before = this.ordered[place - 1];
    const after = this.ordered[place];
    return (before === undefined || span.start >= before.end + distance - 1e-9) && (after === undefined || span.end <= after.start - distance + 1e-9);
  }

  /** Number of selected spans that start at or before `time`. */
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

/** Merges lists of ranges into one list of forbidden ranges. The input is not changed. */
export function forbid(...lists: readonly (readonly Range[])[]): Range[] {
  return mergeRanges(lists.flatMap((list) => list.map(({ start, end }) => ({ start, end }))));
}
