import { layoutLength } from '../pictures/frameTrack.ts';
import { countBelow } from '../timeline/rankValues.ts';
import { timelineStep, type Pieces } from '../analysis/timeline.ts';
import type { Range } from './range.ts';

/** Mean absolute difference of two layouts (levels of grey) at which their likeness is 1/e, or 37 %. */
const spread = 12;

/** Likeness of two pieces, 0–1: of their layouts, unless both show a page. Slides on one template have the same layout. */
function likenessOf({ layouts, pages }: Pieces, a: number, b: number): number {
  if (a === b) return 1;
  if (pages[a] !== 0 && pages[b] !== 0) return Number(pages[a] === pages[b]);
  let sum = 0;
  for (let index = 0, left = a * layoutLength, right = b * layoutLength; index < layoutLength; index++) {
    sum += Math.abs(layouts[left + index]! - layouts[right + index]!);
  }
  return Math.exp(-((sum / layoutLength / spread) ** 2));
}

/** Calls `visit` with the index of each piece that a range overlaps, and the length of the overlap in seconds. */
function eachPiece(pieces: Pieces, { start, end }: Range, visit: (piece: number, seconds: number) => void): void {
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

/**
 * Tracks the pieces that the selected ranges show, and the likeness of any piece to the most similar shown piece. Likenesses
 * are computed on request; each request compares only the pieces added since the previous request.
 */
export class ShownPieces {
  private readonly pieces: Pieces;
  private readonly shown: number[] = [];
  private readonly best: Float32Array;
  private readonly compared: Uint32Array;

  constructor(pieces: Pieces) {
    this.pieces = pieces;
    this.best = new Float32Array(pieces.shots.length);
    this.compared = new Uint32Array(pieces.shots.length);
  }

  /** Adds the pieces of a selected range. A piece counts as shown if the range includes at least 0.5 s of it. */
  add(range: Range): void {
    eachPiece(this.pieces, range, (piece, seconds) => {
      if (seconds >= 0.5) this.shown.push(piece);
    });
  }

  /** Likeness of a piece to the most similar shown piece, 0–1; 0 if nothing is shown. */
  likeness(piece: number): number {
    for (let index = this.compared[piece]!; index < this.shown.length && this.best[piece]! < 1; index++) {
      this.best[piece] = Math.max(this.best[piece]!, likenessOf(this.pieces, piece, this.shown[index]!));
    }
    this.compared[piece] = this.shown.length;
    return this.best[piece]!;
  }

  /**
   * Seconds of a range that show something new: in each shot, and on each page, its novelty compared with all shown pieces times its seconds.
   * @param most seconds per shot that count: a longer view of the same scene adds nothing new
   */
  freshSeconds(range: Range, most: number): number {
    let [total, fresh, covered, shot, page] = [0, 0, 0, -1, 0];
    const closeShot = (): void => {
      if (covered > 0) total += (fresh / covered) * Math.min(most, covered);
      [fresh, covered] = [0, 0];
    };
    eachPiece(this.pieces, range, (piece, seconds) => {
      const shown = this.pieces.pages[piece]!;
      if (this.pieces.shots[piece] !== shot || (shown !== 0 && page !== 0 && shown !== page)) closeShot();
      shot = this.pieces.shots[piece]!;
      if (shown !== 0) page = shown;
      fresh += (1 - this.likeness(piece)) * seconds;
      covered += seconds;
    });
    closeShot();
    return total;
  }

  /**
   * Novelty of a range compared with all shown pieces, 0–1: one minus the likeness, averaged over the pieces of the range and
   * weighted by seconds.
   */
  newness(range: Range): number {
    let fresh = 0;
    let covered = 0;
    eachPiece(this.pieces, range, (piece, seconds) => {
      fresh += (1 - this.likeness(piece)) * seconds;
      covered += seconds;
    });
    return covered > 0 ? fresh / covered : 0;
  }
}
