import { layoutLength } from '../pictures/frameTrack.ts';
import { findChangePoints } from './findChangePoints.ts';
import type { Pieces } from '../analysis/timeline.ts';

/** Shots of fewer cells (8 s) are not split. */
const longShot = 16;
/** Maximum number of cells per change point search (2 min), because the search takes quadratic memory. */
const block = 240;
/** Minimum length of a piece, cells: 2 s. */
const least = 4;
/**
 * Scatter that a change point must save, in squared feature units; a change of the whole picture by 12 levels of grey is 1
 * unit.
 */
const penalty = 0.6;

interface PieceFeatures {
  layouts: Uint8Array;
  /** One number per cell, from `FrameTrack`. */
  pages: Uint32Array;
  /** One value per cell, from `measureMotion`. */
  motion: Float32Array;
  /** One value per cell, dB relative to full scale. */
  loudness: Float32Array;
}

/**
 * Splits the cells into pieces: at each shot, at each other page and, in shots of 8 s or more, at change points of picture, motion and loudness.
 * @param shots index of the shot of each cell
 */
export function splitPieces(shots: Uint32Array, features: PieceFeatures): Pieces {
  const firsts: number[] = [];
  for (let from = 0; from < shots.length; ) {
    let to = from + 1;
    while (to < shots.length && shots[to] === shots[from]) to++;
    firsts.push(from, ...splitShot(from, to, features));
    from = to;
  }
  const starts = [...new Set([...firsts, ...pageStarts(features.pages).filter((cell) => cell < shots.length)])].sort((one, other) => one - other);
  const cells = Uint32Array.from([...starts, shots.length]);
  return { cells, shots: Uint32Array.from(starts, (cell) => shots[cell]!), layouts: meanLayouts(cells, features.layouts), pages: pagesOf(cells, features.pages) };
}

/** Cells in which another page than the last one is shown for the first time. */
function pageStarts(pages: Uint32Array): number[] {
  let last = 0;
  return Array.from(pages.keys()).filter((cell) => {
    const other = pages[cell] !== 0 && pages[cell] !== last;
    if (other) last = pages[cell]!;
    return other;
  });
}

/** The page that at least half of the cells of each piece show; a piece has at most one page. */
function pagesOf(cells: Uint32Array, pages: Uint32Array): Uint32Array {
  return Uint32Array.from({ length: cells.length - 1 }, (_, piece) => {
    const shown = pages.subarray(cells[piece]!, cells[piece + 1]!).filter((page) => page !== 0);
    return 2 * shown.length >= cells[piece + 1]! - cells[piece]! ? shown[0] ?? 0 : 0;
  });
}

function splitShot(from: number, to: number, features: PieceFeatures): number[] {
  if (to - from < longShot) return [];
  const points: number[] = [];
  for (let start = from; start < to; start += block) {
    const end = Math.min(to, start + block);
    if (start > from) points.push(start);
    const { rows, width } = featureRows(start, end, features);
    for (const point of findChangePoints(rows, width, least, penalty)) points.push(start + point);
  }
  return points;
}

function featureRows(from: number, to: number, { layouts, motion, loudness }: PieceFeatures): { rows: Float32Array; width: number } {
  const width = layoutLength + 2;
  const rows = new Float32Array((to - from) * width);
  const known = Math.floor(layouts.length / layoutLength);
  const scale = 1 / (12 * Math.sqrt(layoutLength));
  for (let cell = from; cell < to; cell++) {
    const row = (cell - from) * width;
    const place = Math.min(cell, known - 1) * layoutLength;
    if (known > 0) layouts.subarray(place, place + layoutLength).forEach((value, index) => (rows[row + index] = value * scale));
    rows[row + layoutLength] = motion[cell]!;
    rows[row + layoutLength + 1] = loudness[cell]! / 8;
  }
  return { rows, width };
}

function meanLayouts(cells: Uint32Array, layouts: Uint8Array): Float32Array {
  const known = Math.floor(layouts.length / layoutLength);
  const means = new Float32Array((cells.length - 1) * layoutLength);
  if (known === 0) return means;
  for (let piece = 0; piece + 1 < cells.length; piece++) {
    const from = Math.min(cells[piece]!, known - 1);
    const to = Math.max(from + 1, Math.min(cells[piece + 1]!, known));
    for (let cell = from; cell < to; cell++) {
      for (let index = 0; index < layoutLength; index++) {
        means[piece * layoutLength + index]! += layouts[cell * layoutLength + index]! / (to - from);
      }
    }
  }
  return means;
}
