import { halfPixels, halfWidth } from './pictureSketch.ts';

/** Blocks that move on their own, half pixels: 6 × 3 blocks in a picture without bars. */
const block = { width: 8, height: 9 } as const;
/** Largest move of a block between the middle picture and either end, half pixels. */
const reach = { x: 4, y: 3 } as const;
/** Added to both errors, as a share of the change between the ends, so that the noise of still pictures decides nothing. */
const noiseShare = 0.002;

/** The rows of the picture inside black bars: what moves into view behind a bar cannot be found under the bar. */
export interface Rows {
  top: number;
  /** The row after the last one. */
  bottom: number;
}

/**
 * Compares two explanations of the picture in the middle of a change: a mixture of both ends, as in a dissolve, and blocks of
 * either end that moved. Returns the natural logarithm of the ratio of the squared errors: negative if the mixture explains the
 * middle better, positive if motion does, 0 if the ends are equal. Takes about 0.2 ms.
 * @param before luma at 48 × 27 pixels, as are `middle` and `after`
 */
export function mixtureAgainstMotion(before: Uint8Array, middle: Uint8Array, after: Uint8Array, rows: Rows): number {
  let change = 0;
  let along = 0;
  let all = 0;
  for (let at = 0; at < halfPixels; at++) {
    const step = after[at]! - before[at]!;
    const moved = middle[at]! - before[at]!;
    change += step * step;
    along += moved * step;
    all += moved * moved;
  }
  if (change === 0) return 0;
  const noise = noiseShare * change;
  return Math.log((Math.max(0, all - along ** 2 / change) + noise) / (errorOfMotion(before, middle, after, rows) + noise));
}

/** Sum over the blocks of `middle` of the squared error of the best block of `before` or `after` nearby. */
function errorOfMotion(before: Uint8Array, middle: Uint8Array, after: Uint8Array, rows: Rows): number {
  let sum = 0;
  for (let top = rows.top; top < rows.bottom; top += block.height) {
    for (let left = 0; left < halfWidth; left += block.width) {
      const best = bestMove(before, middle, left, top, rows, Infinity);
      sum += bestMove(after, middle, left, top, rows, best);
    }
  }
  return sum;
}

/** Squared error of the best move into the block of `middle` at `left` and `top`, at most `limit`. */
function bestMove(source: Uint8Array, middle: Uint8Array, left: number, top: number, rows: Rows, limit: number): number {
  const height = Math.min(block.height, rows.bottom - top);
  const lastX = Math.min(reach.x, halfWidth - block.width - left);
  const lastY = Math.min(reach.y, rows.bottom - height - top);
  const at = top * halfWidth + left;
  let best = limit;
  for (let y = Math.max(-reach.y, rows.top - top); y <= lastY; y++) {
    for (let x = Math.max(-reach.x, -left); x <= lastX; x++) {
      best = Math.min(best, blockError(source, middle, at, at + y * halfWidth + x, height, best));
    }
  }
  return best;
}

/** Squared error between two blocks. The sum stops after the row that reaches `limit`. */
function blockError(source: Uint8Array, middle: Uint8Array, at: number, from: number, height: number, limit: number): number {
  let sum = 0;
  for (let y = 0; y < height && sum < limit; y++) {
    for (let x = y * halfWidth; x < y * halfWidth + block.width; x++) {
      const difference = middle[at + x]! - source[from + x]!;
      sum += difference * difference;
    }
  }
  return sum;
}
