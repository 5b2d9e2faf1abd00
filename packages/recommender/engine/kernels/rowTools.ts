import type { QuantisedRows } from './quantisedRows.ts';
import type { SparseRows } from '../data/trainedModel.ts';

/**
 * What rows of neighbours are computed with: the kernels, or their plain twins. All arrays that are handed in come from
 * `floats`, `integers` or `place` of the same tools; a parameter `n` counts elements.
 */
export interface RowTools {
  floats(n: number): Float32Array;
  integers(n: number): Int32Array;
  /** The array itself or a copy where the tools can reach it. */
  place<Numbers extends Float32Array | Int32Array | Float64Array>(array: Numbers): Numbers;
  /** Room for so many rows of so many columns. */
  quantised(rows: number, columns: number): QuantisedRows;
  /** Makes a row of `values[k] weight[k]`, of as many columns as there is room for; `weight` null for ones. */
  quantise(values: Float32Array, weight: Float32Array | null, out: QuantisedRows, row: number): void;
  /**
   * `outs[q][k] = query q . row`, for the first one to three rows of `queries`, as many as there are `outs`.
   * @param queries at least as wide as the matrix, with whose columns theirs are multiplied
   * @param index the rows `index[0..n)`, or the first of `n` rows that follow each other
   */
  dot(queries: QuantisedRows, matrix: QuantisedRows, index: Int32Array | number, n: number, outs: Outs): void;
  /** Keys of a row of the user operator into `key`. */
  operatorKeys(index: Int32Array, n: number, sums: Float32Array, terms: OperatorTerms, key: Float32Array): void;
  /** Keys of a row of related items into `key`, and each item's cosine into `terms.near`. */
  relatedKeys(index: Int32Array, n: number, sums: Float32Array, terms: RelatedTerms, key: Float32Array): void;
  /** The largest of `sums[2 index[k]] weight[index[k]]`, at least 0. */
  largestSum(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array): number;
  /**
   * Moves the `k` largest keys to the front with their indexes, of equal keys those with the smaller index, in no order;
   * what is behind them is undefined.
   */
  selectLargest(key: Float32Array, index: Int32Array, n: number, k: number): void;
  /** Sorts both by falling key, equal keys by rising index. */
  sortLargestFirst(key: Float32Array, index: Int32Array, n: number): void;
  /**
   * Adds a row of `R^T W R` to `sums`, at `2j` the weights of common users and at `2j + 1` their number.
   * @param found gets the items whose number was 0; one place longer than there are items
   * @returns how many those are
   */
  gramRow(item: number, audience: SparseRows, rows: SparseRows, userWeight: Float32Array, sums: Float32Array, found: Int32Array): number;
  /** `key[k] = sums[2 index[k]] weight[index[k]]`. */
  weighSums(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array, key: Float32Array): void;
  /** Sets the sums of the listed items to 0. */
  clearSums(index: Int32Array, n: number, sums: Float32Array): void;
}

export type Outs = readonly [Float32Array, second?: Float32Array, third?: Float32Array];

/** `key = rowPower (sums normaliser inverseRoot + damped) columnPower + lowPass plain root`. */
export interface OperatorTerms {
  /** One entry per listed item. */
  damped: Float32Array;
  plain: Float32Array;
  /** One entry per item. */
  inverseRoot: Float32Array;
  columnPower: Float32Array;
  root: Float32Array;
  normaliser: number;
  rowPower: number;
  lowPass: number;
}

/** `near = dot inverseLength inverseNorm`; `key = (seen sums columnWeight + expected clamp(term scale popularity) + near) / 2`. */
export interface RelatedTerms {
  /** One entry per listed item; `term` null where nothing is expected. */
  dot: Float32Array;
  term: Float32Array | null;
  /** One entry per item. */
  inverseNorm: Float32Array;
  columnWeight: Float32Array;
  popularity: Float32Array;
  near: Float32Array;
  inverseLength: number;
  seen: number;
  expected: number;
  scale: number;
}
