import { timelineStep, type CueKind, type Timeline } from '../timeline/timeline.ts';
import { meanImportance, newnessOf } from './explainSegment.ts';
import { freeUntil } from './field.ts';
import { overlapOf, type Range } from './range.ts';
import { scoreOf, type Terms } from './scoreTerms.ts';
import type { RejectedSegment, Segment } from './selection.ts';
import type { SettledOptions } from './settleOptions.ts';

/** Most that are named. */
const most = 20;
/** Length of a moment that is named, seconds; moments do not overlap. */
const length = 3;
/** From this likeness on a moment counts as shown already. */
const alike = 0.6;

interface Situation {
  timeline: Timeline;
  settled: SettledOptions;
  terms: Terms;
  importance: Float32Array;
  segments: readonly Segment[];
  /** Cues that were left out in this run. */
  cues: readonly (Range & { kind: CueKind })[];
  forbidden: readonly Range[];
  duration: number;
}

/** The loudest moments that are not in the preview, best first, each with why. */
export function listRejected(situation: Situation): RejectedSegment[] {
  const { importance, segments, duration, terms, timeline, settled } = situation;
  const moments: Range[] = [];
  const order = Uint32Array.from(importance.keys()).sort((a, b) => importance[b]! - importance[a]! || a - b);
  for (const cell of order) {
    if (moments.length === most) break;
    const middle = (cell + 0.5) * timelineStep;
    const start = Math.max(0, Math.min(middle - length / 2, duration - length));
    const moment = { start, end: Math.min(duration, start + length) };
    const taken = segments.some((segment) => overlapOf(segment, moment) > 0 && middle >= segment.start && middle < segment.end);
    if (taken || moments.some((other) => overlapOf(other, moment) > 0)) continue;
    moments.push(moment);
  }
  return moments
    .map((moment) => ({ ...moment, score: scoreOf(meanImportance(moment, terms), newnessOf(moment, segments, timeline), settled.diversity), ...whyNot(moment, situation) }))
    .sort((a, b) => b.score - a.score || a.start - b.start);
}

function whyNot(moment: Range, situation: Situation): Pick<RejectedSegment, 'why' | 'detail'> {
  const { settled, timeline, segments, cues, forbidden, terms } = situation;
  const middle = (moment.start + moment.end) / 2;
  const place = `${moment.start.toFixed(1)}–${moment.end.toFixed(1)} s`;
  const excluded = settled.excludes.find((range) => middle >= range.start && middle < range.end);
  if (excluded !== undefined) return { why: 'excluded', detail: `${place} lies in what the options leave out (${excluded.start.toFixed(1)}–${excluded.end.toFixed(1)} s).` };
  const cue = cues.find((range) => middle >= range.start && middle < range.end);
  if (cue !== undefined) {
    const why = cue.kind === 'slate' ? 'title' : cue.kind;
    return { why, detail: `${place} lies in ${cueNames[cue.kind]} (${cue.start.toFixed(1)}–${cue.end.toFixed(1)} s).` };
  }
  const room = roomAround(middle, forbidden);
  if (room < settled.least) return { why: 'too-short', detail: `Around ${place} only ${room.toFixed(1)} s are free, and a segment has at least ${settled.least.toFixed(1)} s.` };
  const likeness = 1 - newnessOf(moment, segments, timeline);
  const weakest = Math.min(1, ...segments.map((segment) => segment.score));
  const fresh = scoreOf(meanImportance(moment, terms), 1, settled.diversity);
  if (likeness >= alike && fresh > weakest) {
    return { why: 'similar', detail: `${place} looks ${Math.round(likeness * 100)} % like what the preview shows already; were it new, its score would be ${fresh.toFixed(2)}.` };
  }
  return { why: 'budget', detail: `${place} did not fit: the preview is full with segments that are worth more together (the least has score ${weakest.toFixed(2)}).` };
}

const cueNames: Readonly<Record<CueKind, string>> = {
  black: 'black', bars: 'colour bars', title: 'a title card', credits: 'credits', slate: 'a slate', static: 'a picture that stands still',
};

/** Seconds around a time without anything forbidden. */
function roomAround(time: number, forbidden: readonly Range[]): number {
  const before = forbidden.filter((range) => range.end <= time).at(-1)?.end ?? 0;
  return freeUntil(forbidden, time) - before;
}
