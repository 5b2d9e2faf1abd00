import { cellOf } from '../timeline/measureMotion.ts';
import { timelineStep, type Timeline } from '../analysis/timeline.ts';
import { ShownPieces } from './likeness.ts';
import { importanceOf, scoreOf, termNames, type TermName, type Terms } from './scoreTerms.ts';
import type { Range } from './range.ts';
import type { SegmentReason } from './selection.ts';
import type { Cue } from './subtitles.ts';

/** Reasons with a smaller share are omitted, because they do not help the reader. */
const minShare = 0.02;

export interface Explanation {
  score: number;
  reasons: SegmentReason[];
}

interface Evidence {
  timeline: Timeline;
  terms: Terms;
  diversity: number;
  /** The most informative subtitle of the segment; null if there is none. */
  text: string | null;
  /** The subtitle that matches the query best; null if there is none. */
  match: Cue | null;
}

/**
 * Computes the score of a segment and its reasons. The share of a reason is the part of the score that would disappear without
 * it, all else being equal; the shares add up to at most 1.
 *
 * @param others the other segments of the preview, against which novelty is measured
 */
export function explainSegment(segment: Range, others: readonly Range[], evidence: Evidence): Explanation {
  const { timeline, terms, diversity, text, match } = evidence;
  const newness = newnessOf(segment, others, timeline);
  const score = scoreOf(meanImportance(segment, terms), newness, diversity);
  const reasons: SegmentReason[] = [];
  const share = (rest: number): number => (score > 0 ? Math.max(0, (score - rest) / score) : 0);
  for (const name of termNames) {
    const lost = share(scoreOf(meanImportance(segment, terms, name), newness, diversity));
    if (lost < minShare) continue;
    if (name === 'text') {
      if (text !== null) reasons.push({ kind: 'text', share: lost, text });
    } else if (name === 'query') {
      if (match !== null) reasons.push({ kind: 'query', share: lost, at: match.start, text: match.text });
    } else reasons.push({ kind: name, share: lost, ...peakOf(segment, timeline, name) });
  }
  const alone = share(scoreOf(meanImportance(segment, terms), 0, diversity));
  // With no other segment, novelty is always 1 and explains nothing, so it is only listed if there is no other reason.
  const compared = others.length > 0 || reasons.length === 0;
  if (compared && alone >= minShare) reasons.push({ kind: 'diversity', share: alone, value: newness });
  return { score, reasons: reasons.sort((a, b) => b.share - a.share) };
}

/** Mean importance of a segment, 0–1, weighted by the time in each cell; `without` names a term to leave out. */
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

/**
 * Novelty of a segment compared with the other segments, 0–1: one minus the likeness of its pieces to their most similar
 * pieces.
 */
export function newnessOf(segment: Range, others: readonly Range[], timeline: Timeline): number {
  const shown = new ShownPieces(timeline.pieces);
  for (const other of others) shown.add(other);
  return shown.newness(segment);
}

function peakOf(segment: Range, timeline: Timeline, name: Exclude<TermName, 'text' | 'query'>): { at: number; value: number } {
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
