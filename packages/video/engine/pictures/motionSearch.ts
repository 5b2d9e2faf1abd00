import { analysisHeight, analysisWidth } from './frameTrack.ts';
import { halfHeight, halfPixels, halfWidth, lumaPixels, type PictureSketch } from './pictureSketch.ts';

/** Blocks of the coarse search, in half pixels: 8 × 3 blocks. */
const coarse = { width: 6, height: 9, columns: 8, rows: 3 } as const;
/** Largest motion that the coarse search finds, half pixels: an eighth of the picture's width per picture. */
const reach = { x: 6, y: 4 } as const;
/** Blocks of the fine search, pixels: 8 × 6 blocks, two within each coarse block. */
const fine = { width: 12, height: 9, columns: 8, rows: 6 } as const;
const fineBlocks = fine.columns * fine.rows;

/** Penalty per pixel of vector length, added to the sum of absolute differences, so that noise does not select a vector. */
const lengthPrice = 2;
/** A block with a smaller mean difference per pixel without motion is not searched. */
const stillDifference = 1.5;
/** Minimum mean difference of neighbouring pixels of a textured block. Only textured blocks count for the camera motion. */
const texturedDifference = 3;

/** Motion between two pictures and the differences that motion does not explain. */
export interface Motion {
  /** Mean absolute luma difference after compensation, 0–255. */
  residual: number;
  /** Mean absolute difference of both chroma planes after compensation, 0–255. */
  chroma: number;
  /** Camera motion: median vector of the textured blocks, pixels. */
  panX: number;
  panY: number;
}

/**
 * Estimates block motion in two steps: a full search of coarse blocks at half size, then a search one pixel around the best
 * vector with smaller blocks at full size. Vectors are integers, and blocks stay inside the picture. Costs about 0.2 ms for
 * pictures with much motion, because the comparison of two blocks stops as soon as the vector cannot win.
 */
export class MotionSearch {
  private readonly coarseX = new Int8Array(coarse.columns * coarse.rows);
  private readonly coarseY = new Int8Array(coarse.columns * coarse.rows);
  private readonly textured = new Int8Array(fineBlocks);
  private readonly vectorX = new Int8Array(fineBlocks);
  private readonly vectorY = new Int8Array(fineBlocks);
  private readonly counts = new Uint16Array(64);
  private readonly result: Motion = { residual: 0, chroma: 0, panX: 0, panY: 0 };

  /** Compares a picture with the previous picture. Each call overwrites and returns the same object. */
  compare(now: PictureSketch, before: PictureSketch): Motion {
    this.searchCoarse(now.half, before.half);
    this.result.residual = this.searchFine(now.data, before.data) / lumaPixels;
    this.result.chroma = this.compareChroma(now.data, before.data);
    this.result.panX = this.medianVector(this.vectorX);
    this.result.panY = this.medianVector(this.vectorY);
    return this.result;
  }

  private searchCoarse(now: Uint8Array, before: Uint8Array): void {
    const { width, height } = coarse;
    for (let block = 0; block < this.coarseX.length; block++) {
      const left = (block % coarse.columns) * width;
      const top = Math.floor(block / coarse.columns) * height;
      const at = top * halfWidth + left;
      let best = blockDifference(now, before, halfWidth, at, at, width, height, Infinity);
      let bestX = 0;
      let bestY = 0;
      if (best > stillDifference * width * height) {
        const lowY = Math.max(-reach.y, -top);
        const highY = Math.min(reach.y, halfHeight - height - top);
        const lowX = Math.max(-reach.x, -left);
        const highX = Math.min(reach.x, halfWidth - width - left);
        for (let y = lowY; y <= highY; y++) {
          for (let x = lowX; x <= highX; x++) {
            const price = lengthPrice * ((x < 0 ? -x : x) + (y < 0 ? -y : y));
            if (price >= best) continue;
            const difference = price + blockDifference(now, before, halfWidth, at, at + y * halfWidth + x, width, height, best - price);
            if (difference >= best) continue;
            best = difference;
            bestX = x;
            bestY = y;
          }
        }
      }
      this.coarseX[block] = bestX;
      this.coarseY[block] = bestY;
    }
  }

  private searchFine(now: Uint8Array, before: Uint8Array): number {
    let total = 0;
    for (let block = 0; block < fineBlocks; block++) {
      const column = block % fine.columns;
      const row = (block - column) / fine.columns;
      const parent = (row >> 1) * coarse.columns + column;
      total += this.refineBlock(now, before, block, column * fine.width, row * fine.height, this.coarseX[parent]! * 2, this.coarseY[parent]! * 2);
    }
    return total;
  }

  /** Sum of absolute differences of the best vector: no motion, the coarse vector, or one of its eight neighbours. */
  private refineBlock(now: Uint8Array, before: Uint8Array, block: number, left: number, top: number, parentX: number, parentY: number): number {
    const { width, height } = fine;
    const at = top * analysisWidth + left;
    let best = blockDifference(now, before, analysisWidth, at, at, width, height, Infinity);
    let bestX = 0;
    let bestY = 0;
    if (best > stillDifference * width * height) {
      for (let y = parentY - 1; y <= parentY + 1; y++) {
        if (top + y < 0 || top + y + height > analysisHeight) continue;
        for (let x = parentX - 1; x <= parentX + 1; x++) {
          if (left + x < 0 || left + x + width > analysisWidth) continue;
          const difference = blockDifference(now, before, analysisWidth, at, at + y * analysisWidth + x, width, height, best);
          if (difference >= best) continue;
          best = difference;
          bestX = x;
          bestY = y;
        }
      }
    }
    this.vectorX[block] = bestX;
    this.vectorY[block] = bestY;
    this.textured[block] = hasTexture(now, at) ? 1 : 0;
    return best;
  }

  /** Mean absolute difference of chroma after compensation. Chroma has half the size, so each vector is halved. */
  private compareChroma(now: Uint8Array, before: Uint8Array): number {
    let sum = 0;
    for (let y = 0; y < halfHeight; y++) {
      // 27 rows of chroma map to 6 rows of blocks, 4.5 rows each.
      const row = Math.floor((y * 2) / fine.height) * fine.columns;
      for (let column = 0; column < fine.columns; column++) {
        const x = column * coarse.width;
        const moveX = this.vectorX[row + column]! >> 1;
        const moveY = Math.min(halfHeight - 1 - y, Math.max(-y, this.vectorY[row + column]! >> 1));
        const from = lumaPixels + y * halfWidth + x;
        const shift = moveY * halfWidth + Math.min(halfWidth - coarse.width - x, Math.max(-x, moveX));
        for (let at = from; at < from + coarse.width; at++) {
          const u = now[at]! - before[at + shift]!;
          const v = now[at + halfPixels]! - before[at + halfPixels + shift]!;
          sum += (u < 0 ? -u : u) + (v < 0 ? -v : v);
        }
      }
    }
    return sum / (2 * halfPixels);
  }

  private medianVector(vectors: Int8Array): number {
    this.counts.fill(0);
    let counted = 0;
    for (let block = 0; block < fineBlocks; block++) {
      if (this.textured[block] === 0) continue;
      this.counts[vectors[block]! + 32]!++;
      counted++;
    }
    if (counted * 4 < fineBlocks) return 0;
    let seen = 0;
    for (let value = 0; value < this.counts.length; value++) {
      seen += this.counts[value]!;
      if (seen * 2 >= counted) return value - 32;
    }
    return 0;
  }
}

/** Sum of absolute differences of two blocks. The sum stops after the row that reaches `limit`. */
function blockDifference(
  one: Uint8Array, other: Uint8Array, stride: number, oneAt: number, otherAt: number, width: number, height: number, limit: number,
): number {
  let sum = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const difference = one[oneAt + x]! - other[otherAt + x]!;
      sum += difference < 0 ? -difference : difference;
    }
    if (sum >= limit) return sum;
    oneAt += stride;
    otherAt += stride;
  }
  return sum;
}

function hasTexture(data: Uint8Array, at: number): boolean {
  let sum = 0;
  // Every third pixel of three rows is enough to distinguish a sky from a face.
  for (let y = 1; y < fine.height; y += 3) {
    const row = at + y * analysisWidth;
    for (let x = 0; x < fine.width - 3; x += 3) {
      const difference = data[row + x]! - data[row + x + 3]!;
      sum += difference < 0 ? -difference : difference;
    }
  }
  return sum > texturedDifference * 9;
}
