import type { RowTools, WeightedItems } from '../kernels/rowTools.ts';
import type { ItemMatrix } from '../ridge/ridgeMatrix.ts';

/** Items with the largest sums of a matrix that settings with a ridge or least squares compare. */
export const matrixCandidates = 200;

/** Bytes of sums that are kept for a matrix: of 3,500 histories with 2,048 items, more than most searches ask for. */
export const keptSumBytes = 32e6;

/** Bytes of a history's items with the largest sums. */
const bestBytes = 4 * matrixCandidates;

/** Sums of a history, its items with the largest sums if they were asked for, and the number of products that the sums took. */
interface Sums {
  values: Float32Array;
  best: Int32Array | null;
  products: number;
}

/** The sum of a matrix's rows of a user's history, as the operator's rows add them up. The steps of a search ask for the same histories again, so sums are kept. */
export class MatrixSums {
  private readonly tools: RowTools;
  private readonly matrix: ItemMatrix;
  private readonly values: Float32Array;
  private readonly kept = new Map<number, Sums>();
  private readonly sums: Float32Array;
  private readonly place: Int32Array;
  private chosen: Int32Array | null = null;
  /** What is kept of the current history; null if nothing is. */
  private current: Sums | null = null;
  /** Rows of a history; sums and items while they are computed or selected. */
  private readonly rows: WeightedItems;
  private readonly out: Float32Array;
  private readonly selected: Int32Array;

  constructor(tools: RowTools, matrix: ItemMatrix) {
    const { items, stride } = matrix;
    this.tools = tools;
    this.matrix = matrix;
    this.values = tools.place(matrix.values);
    this.sums = tools.floats(items.length);
    this.place = tools.place(matrix.place);
    this.rows = { items: tools.integers(items.length), weights: tools.floats(items.length), count: 0 };
    this.out = tools.floats(stride);
    this.selected = tools.integers(items.length);
  }

  /**
   * Sums the rows of a history.
   * @param key number of this history with these weights
   * @param weights weight of each item
   * @param isLast whether the sums are not needed again
   * @returns number of products, also if they were computed before: the work that a search counts must not depend on the memory
   */
  begin(key: number, items: Int32Array, weights: Float64Array, isLast: boolean): number {
    const known = this.kept.get(key);
    this.current = known ?? null;
    this.chosen = known?.best ?? null;
    if (known !== undefined) {
      this.sums.set(known.values);
      return known.products;
    }
    const products = this.sum(items, weights);
    if (!isLast && (this.kept.size + 1) * (this.sums.byteLength + bestBytes) <= keptSumBytes) {
      this.current = { values: this.sums.slice(), best: null, products };
      this.kept.set(key, this.current);
    }
    return products;
  }

  /** Keeps nothing of the histories until now. */
  forget(): void {
    this.kept.clear();
  }

  private sum(items: Int32Array, weights: Float64Array): number {
    const { matrix, rows, out } = this;
    rows.count = 0;
    for (let at = 0; at < items.length; at++) {
      const row = matrix.place[items[at] as number] as number;
      if (row < 0) continue;
      rows.items[rows.count] = row;
      rows.weights[rows.count++] = weights[at] as number;
    }
    out.fill(0);
    this.tools.addRows(rows, this.values, out);
    this.sums.set(out.subarray(0, matrix.items.length));
    return rows.count * matrix.items.length;
  }

  /** Writes the sums of items to `out`, 0 for an item outside the matrix. */
  read(items: Int32Array, count: number, out: Float32Array): void {
    this.tools.placedAt(this.place, this.sums, items, count, out);
  }

  /** The items with the largest sums, unordered. */
  get best(): Int32Array {
    this.chosen ??= this.select();
    if (this.current !== null) this.current.best = this.chosen;
    return this.chosen;
  }

  private select(): Int32Array {
    const { matrix, out, selected } = this;
    const kept = Math.min(matrixCandidates, matrix.items.length);
    selected.set(matrix.items);
    out.set(this.sums);
    this.tools.selectLargest(out, selected, matrix.items.length, kept);
    return selected.slice(0, kept);
  }
}
