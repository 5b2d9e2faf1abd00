import { selectLargest } from '../ranking/selectLargest.ts';
import type { RidgeMatrix } from '../ridge/ridgeMatrix.ts';

/** Items with the largest sums that settings with a ridge compare. */
export const ridgeCandidates = 200;

/** The sum of the regression's rows of a user's history, as the operator's rows add them up. */
export class RidgeSums {
  private readonly matrix: RidgeMatrix;
  private readonly sums: Float64Array;
  private chosen: Int32Array | null = null;

  constructor(matrix: RidgeMatrix) {
    this.matrix = matrix;
    this.sums = new Float64Array(matrix.items.length);
  }

  /**
   * Sums the rows of a history.
   * @param weights weight of each item
   * @returns number of products
   */
  begin(items: Int32Array, weights: Float64Array): number {
    const { sums } = this;
    const { place, values, stride } = this.matrix;
    let products = 0;
    sums.fill(0);
    this.chosen = null;
    items.forEach((item, at) => {
      const row = place[item] as number;
      if (row < 0) return;
      const weight = weights[at] as number;
      products += sums.length;
      for (let column = 0, from = row * stride; column < sums.length; column++, from++) {
        sums[column] = (sums[column] as number) + weight * (values[from] as number);
      }
    });
    return products;
  }

  /** Sum of an item, 0 for an item outside the regression. */
  of(item: number): number {
    return this.sums[this.matrix.place[item] as number] ?? 0;
  }

  /** The items with the largest sums, unordered. */
  get best(): Int32Array {
    this.chosen ??= this.select();
    return this.chosen;
  }

  private select(): Int32Array {
    const index = this.matrix.items.slice();
    const kept = Math.min(ridgeCandidates, index.length);
    selectLargest(this.sums.slice(), index, index.length, kept);
    return index.subarray(0, kept);
  }
}
