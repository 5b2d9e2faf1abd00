import { timelineStep, type CueKind } from '../analysis/timeline.ts';
import { meanImportance, newnessOf } from './explainSegment.ts';
import { freeUntil, spansBetween, type Field } from './field.ts';
import { formatSpan } from './formatTime.ts';
import { overlapOf, previewLength, type Range } from './range.ts';
import { scoreOf, type Terms } from './scoreTerms.ts';
import { lengthName } from './settleOptions.ts';
import type { RejectedSegment, Segment } from './selection.ts';

/** Maximum number of listed moments. */
const most = 20;
/** Length of a listed moment, seconds. Moments do not overlap. */
const length = 3;
/** A moment counts as shown if the preview contains more than this many seconds of it. */
const maxShown = 1;
/** Minimum likeness (0–1) at which a moment counts as similar to the preview. */
const alike = 0.6;
/** A segment whose ends cost at least this much cuts speech. */
const speechCost = 4;

interface Situation extends Field {
  terms: Terms;
  /** Importance per cell. */
  curve: Float32Array;
  segments: readonly Segment[];
  /** Whether the preview has the requested length. */
  full: boolean;
  /** Whether only key frames were decoded, so that the pictures between key frames are unknown. */
  keyFramesOnly: boolean;
  /** The technical cues that this run excludes. */
  cues: readonly (Range & { kind: CueKind })[];
  duration: number;
}

/** Lists the most important moments that the preview does not show, highest score first, each with the cause. */
export function listRejected(situation: Situation): RejectedSegment[] {
  const { curve, segments, duration, terms, timeline, settled } = situation;
  const moments: Range[] = [];
  const order = Uint32Array.from(curve.keys()).sort((a, b) => curve[b]! - curve[a]! || a - b);
  for (const cell of order) {
    if (moments.length === most) break;
    const middle = Math.min((cell + 0.5) * timelineStep, duration);
    const start = Math.max(0, Math.min(middle - length / 2, duration - length));
    const moment = { start, end: Math.min(duration, start + length) };
    const shown = segments.reduce((sum, segment) => sum + overlapOf(segment, moment), 0) > maxShown;
    if (shown || moments.some((other) => overlapOf(other, moment) > 0)) continue;
    moments.push(moment);
  }
  return moments
    .map((moment) => ({ ...moment, score: scoreOf(meanImportance(moment, terms), newnessOf(moment, segments, timeline), settled.diversity), ...whyNot(moment, situation) }))
    .sort((a, b) => b.score - a.score || a.start - b.start);
}

function whyNot(moment: Range, situation: Situation): Pick<RejectedSegment, 'why' | 'detail'> {
  const { settled, cues, keyFramesOnly, duration } = situation;
  const span = (range: Range): string => formatSpan(range, duration);
  const middle = (moment.start + moment.end) / 2;
  const place = span(moment);
  const excluded = settled.excludes.find((range) => middle >= range.start && middle < range.end);
  if (excluded !== undefined) return { why: 'excluded', detail: `${place} ${liesIn(moment, excluded)} a part that the options exclude (${span(excluded)}).` };
  const cue = cues.find((range) => middle >= range.start && middle < range.end);
  if (cue !== undefined) {
    const unsure = keyFramesOnly ? keyFrameNote(cue) : '';
    return { why: cue.kind === 'slate' ? 'title' : cue.kind, detail: `${place} ${liesIn(moment, cue)} ${cueNames[cue.kind]} (${span(cue)})${unsure}.` };
  }
  return noRoom(moment, middle, situation) ?? outvoted(moment, situation);
}

/** States that a cue is known from its key frames alone: other frames may show something else. */
function keyFrameNote({ kind, start, end }: Range & { kind: CueKind }): string {
  const seconds = (end - start).toFixed(1);
  return kind === 'black' || kind === 'white'
    ? `; the fast analysis decoded only the key frames of these ${seconds} s, and all of them are ${kind}`
    : `; the fast analysis judged these ${seconds} s by their key frames alone`;
}

function liesIn(moment: Range, whole: Range): string {
  return moment.start >= whole.start - 1e-6 && moment.end <= whole.end + 1e-6 ? 'is within' : 'overlaps';
}

/** Checks whether any acceptable segment around the moment is possible; returns the cause if none is, otherwise null. */
function noRoom(moment: Range, middle: number, situation: Situation): Pick<RejectedSegment, 'why' | 'detail'> | null {
  const { forbidden, settled, duration } = situation;
  const place = formatSpan(moment, duration);
  const before = forbidden.filter((range) => range.end <= middle).at(-1)?.end ?? 0;
  const room = Math.min(duration, freeUntil(forbidden, middle)) - before;
  if (room < settled.minSegmentSeconds) {
    return { why: 'too-short', detail: `Around ${place}, only ${room.toFixed(1)} s remain beside parts that are left out; a segment needs at least ${settled.minSegmentSeconds.toFixed(1)} s.` };
  }
  const reach = Math.min(settled.maxSegmentSeconds, 15);
  let possible = false;
  for (const candidate of spansBetween(situation, { start: middle - reach, end: middle }, { start: middle, end: middle + reach })) {
    if (candidate.cost < speechCost) return null;
    possible = true;
  }
  if (!possible) {
    return { why: 'cuts', detail: `Around ${place}, every segment of ${bounds(settled)} would start or end in a transition, next to a cut, or in a part that is left out.` };
  }
  return { why: 'speech', detail: `Around ${place}, sound that resembles speech has no pause: every segment of at most ${settled.maxSegmentSeconds.toFixed(1)} s would cut it.` };
}

function outvoted(moment: Range, { terms, timeline, segments, full, settled, repeats, duration }: Situation): Pick<RejectedSegment, 'why' | 'detail'> {
  const place = formatSpan(moment, duration);
  const shown = repeats === null ? undefined : segments.find((segment) => repeats.showsAgain(moment, repeats.originsOf(segment)));
  if (shown !== undefined) return { why: 'similar', detail: `${place} shows the same scene as ${formatSpan(shown, duration)}, which is in the preview.` };
  const newness = newnessOf(moment, segments, timeline);
  const weakest = segments.reduce((least, segment) => Math.min(least, segment.score), 1);
  const fresh = scoreOf(meanImportance(moment, terms), 1, settled.diversity);
  if (1 - newness >= alike && fresh > weakest && scoreOf(meanImportance(moment, terms), newness, settled.diversity) <= weakest) {
    return { why: 'similar', detail: `${place} is ${Math.round((1 - newness) * 100)} % similar in colour layout to segments of the preview; without the similarity, its score would be ${fresh.toFixed(2)}.` };
  }
  if (!full) return { why: 'budget', detail: `${place} did not fit: next to the other segments, no segment of ${bounds(settled)} satisfies the options.` };
  const own = scoreOf(meanImportance(moment, terms), newness, settled.diversity).toFixed(2);
  const why = scoreNote(Number(own) > Number(weakest.toFixed(2)), segments.length === 1, weakest.toFixed(2));
  return { why: 'budget', detail: `${place} did not fit: the preview has ${lengthOfAsked(segments, settled)}${why}.` };
}

/** How the scores of the segments compare with the score of a moment that did not fit. */
function scoreNote(isHigher: boolean, alone: boolean, weakest: string): string {
  if (alone) return isHigher ? `. Its only segment was chosen for the highest total, so its score is lower (${weakest})` : `, and its only segment has the score ${weakest}`;
  return isHigher ? `. Segments are chosen for the highest total, so one of them may have a lower score (${weakest})` : `, and each of its segments has at least the score ${weakest}`;
}

/** The length of the preview, which may deviate from the requested length by up to half a second. */
function lengthOfAsked(segments: readonly Segment[], settled: Field['settled']): string {
  const length = previewLength([...segments].sort((one, other) => one.start - other.start), settled.crossfade).toFixed(1);
  return length === settled.target.toFixed(1) ? lengthName(settled) : `${length} of ${lengthName(settled)}`;
}

function bounds({ minSegmentSeconds, maxSegmentSeconds }: Field['settled']): string {
  return `${minSegmentSeconds.toFixed(1)} to ${maxSegmentSeconds.toFixed(1)} s`;
}

const cueNames: Readonly<Record<CueKind, string>> = {
  black: 'a black part', white: 'a white part', bars: 'colour bars', title: 'a title card', credits: 'credits', slate: 'a slate', static: 'a still picture', dim: 'a part that is nearly black compared with the rest of the video',
  blurred: 'a part in which nothing is in focus', damaged: 'a part without frames that can be decoded',
};
