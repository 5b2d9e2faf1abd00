import { selectLargest } from '../ranking/selectLargest.ts';
import type { RidgeMatrix } from '../ridge/ridgeMatrix.ts';

/** Items with the largest sums that settings with a ridge compare. */
export const ridgeCandidates = 200;

/** Bytes of sums that are kept for a regression: of 1,900 histories with 2,048 items, more than most searches ask for. */
export const keptSumBytes = 32e6;

/** Sums of a history, and the number of products that they took. */
interface Sums {
  values: Float64Array;
  products: number;
}

/** The sum of the regression's rows of a user's history, as the operator's rows add them up. The steps of a search ask for the same histories again, so sums are kept. */
export class RidgeSums {
  private readonly matrix: RidgeMatrix;
  private readonly kept = new Map<number, Sums>();
  private sums: Float64Array;
  private chosen: Int32Array | null = null;

  constructor(matrix: RidgeMatrix) {
    this.matrix = matrix;
    this.sums = new Float64Array(0);
  }

  /**
   * Sums the rows of a history.
   * @param key number of this history with these weights
   * @param weights weight of each item
   * @returns number of products, also if they were computed before: the work that a search counts must not depend on the memory
   */
  begin(key: number, items: Int32Array, weights: Float64Array): number {
    const known = this.kept.get(key) ?? this.sum(items, weights);
    if ((this.kept.size + 1) * known.values.byteLength <= keptSumBytes) this.kept.set(key, known);
    this.sums = known.values;
    this.chosen = null;
    return known.products;
  }

  private sum(items: Int32Array, weights: Float64Array): Sums {
    const { place, values, stride } = this.matrix;
    const sums = new Float64Array(this.matrix.items.length);
    let products = 0;
    items.forEach((item, at) => {
      const row = place[item] as number;
      if (row < 0) return;
      const weight = weights[at] as number;
      products += sums.length;
      for (let column = 0, from = row * stride; column < sums.length; column++, from++) {
        sums[column] = (sums[column] as number) + weight * (values[from] as number);
      }
    });
    return { values: sums, products };
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
