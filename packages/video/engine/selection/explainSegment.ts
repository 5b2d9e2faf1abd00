import { cellOf } from '../timeline/measureMotion.ts';
import { timelineStep, type Timeline } from '../analysis/timeline.ts';
import { ShownPieces } from './likeness.ts';
import { importanceOf, scoreOf, termNames, type TermName, type Terms } from './scoreTerms.ts';
import type { Range } from './range.ts';
import type { SegmentReason } from './selection.ts';

/** A smaller share is not a reason that helps anybody. */
const minShare = 0.02;

export interface Explanation {
  score: number;
  reasons: SegmentReason[];
}

interface Evidence {
  timeline: Timeline;
  terms: Terms;
  diversity: number;
  /** Most telling line of the segment, if there are subtitles. */
  text: string | null;
}

/**
 * Score of a segment among others, and its reasons: the share of each term is what the score loses when that term is left
 * out and everything else stays, so the shares add up to at most 1.
 */
export function explainSegment(segment: Range, others: readonly Range[], evidence: Evidence): Explanation {
  const { timeline, terms, diversity, text } = evidence;
  const newness = newnessOf(segment, others, timeline);
  const score = scoreOf(meanImportance(segment, terms), newness, diversity);
  const reasons: SegmentReason[] = [];
  const share = (rest: number): number => (score > 0 ? Math.max(0, (score - rest) / score) : 0);
  for (const name of termNames) {
    const lost = share(scoreOf(meanImportance(segment, terms, name), newness, diversity));
    if (lost < minShare) continue;
    if (name === 'text') {
      if (text !== null) reasons.push({ kind: 'text', share: lost, text });
    } else reasons.push({ kind: name, share: lost, ...peakOf(segment, timeline, name) });
  }
  const alone = share(scoreOf(meanImportance(segment, terms), 0, diversity));
  // A segment that is the whole preview is unlike no other; where nothing else speaks for it, that it is new is all there is.
  const compared = others.length > 0 || reasons.length === 0;
  if (compared && alone >= minShare) reasons.push({ kind: 'diversity', share: alone, value: newness });
  return { score, reasons: reasons.sort((a, b) => b.share - a.share) };
}

/** Mean importance over a segment, each cell by the time it is in. */
export function meanImportance(segment: Range, terms: Terms, without?: TermName): number {
  const cells = terms.motion.length;
  let sum = 0;
  let covered = 0;
  eachCell(segment, cells, (cell, seconds) => {
    let weight = 0;
    for (const name of termNames) if (name !== without) weight += terms[name][cell]!;
    sum += importanceOf(weight) * seconds;
    covered += seconds;
  });
  return covered > 0 ? sum / covered : 0;
}

/** How unlike the other segments a segment is, 0–1: one minus the likeness of its pieces to the most alike of theirs. */
export function newnessOf(segment: Range, others: readonly Range[], timeline: Timeline): number {
  const shown = new ShownPieces(timeline.pieces);
  for (const other of others) shown.add(other);
  return shown.newness(segment);
}

function peakOf(segment: Range, timeline: Timeline, name: Exclude<TermName, 'text'>): { at: number; value: number } {
  let at = segment.start;
  let value = -1;
  eachCell(segment, timeline.cells, (cell) => {
    if (timeline[name][cell]! <= value) return;
    value = timeline[name][cell]!;
    at = Math.max(segment.start, cell * timelineStep);
  });
  return { at, value: Math.max(0, value) };
}

function eachCell({ start, end }: Range, cells: number, visit: (cell: number, seconds: number) => void): void {
  const last = cellOf(Math.max(start, end - 1e-6), cells);
  for (let cell = cellOf(start, cells); cell <= last; cell++) {
    const seconds = Math.min(end, (cell + 1) * timelineStep) - Math.max(start, cell * timelineStep);
    visit(cell, Math.max(seconds, 1e-9));
  }
}
