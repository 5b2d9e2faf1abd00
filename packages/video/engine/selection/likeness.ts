import { layoutLength } from '../pictures/frameTrack.ts';
import { timelineStep, type Pieces } from '../timeline/timeline.ts';
import { countBelow } from '../timeline/rankValues.ts';
import type { Range } from './range.ts';

/** Mean difference of two pictures' layouts at which they are 37 % alike, grey values. */
const spread = 12;

/** How alike two pieces look, 0–1. */
export function likenessOf(pieces: Pieces, a: number, b: number): number {
  if (a === b) return 1;
  let sum = 0;
  for (let index = 0; index < layoutLength; index++) {
    sum += Math.abs(pieces.layouts[a * layoutLength + index]! - pieces.layouts[b * layoutLength + index]!);
  }
  return Math.exp(-((sum / layoutLength / spread) ** 2));
}

/** Calls back with each piece that a range touches and the seconds of it. */
export function eachPiece(pieces: Pieces, { start, end }: Range, visit: (piece: number, seconds: number) => void): void {
  const count = pieces.shots.length;
  const first = Math.max(0, countBelow(pieces.cells, Math.floor(start / timelineStep + 1e-9) + 1) - 1);
  for (let piece = Math.min(first, count - 1); piece < count; piece++) {
    const from = pieces.cells[piece]! * timelineStep;
    const last = piece === count - 1;
    const seconds = Math.min(end, last ? end : pieces.cells[piece + 1]! * timelineStep) - Math.max(start, from);
    if (seconds > 1e-9) visit(piece, seconds);
    if (!last && pieces.cells[piece + 1]! * timelineStep >= end) return;
  }
}
