import { KernelTools } from './kernelTools.ts';
import { PlainTools } from './plainTools.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { SparseRows } from '../trainedModel.ts';

/**
 * What rows of neighbours are computed with: the kernels, or their plain twins. All arrays that are handed in come from
 * `floats`, `integers` or `place` of the same tools; a parameter `n` counts elements.
 */
export interface RowTools {
  floats(n: number): Float32Array;
  integers(n: number): Int32Array;
  /** The array itself or a copy where the tools can reach it. */
  place<Numbers extends Float32Array | Int32Array | Float64Array>(array: Numbers): Numbers;
  /** `out[k] = query . row`, for the rows `index[0..n)` of a row-major matrix, or its rows `0..n` where that is null. */
  dot(query: Float32Array, matrix: Float32Array, index: Int32Array | null, n: number, columns: number, out: Float32Array): void;
  /** The same for two queries. */
  dotTwo(
    queryA: Float32Array, queryB: Float32Array, matrix: Float32Array, index: Int32Array, n: number, columns: number,
    outA: Float32Array, outB: Float32Array,
  ): void;
  /** The same for three queries, one after the other in `queries` as in `outs`. */
  dotThree(queries: Three, matrix: Float32Array, index: Int32Array, n: number, columns: number, outs: Three): void;
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

export type Three = readonly [Float32Array, Float32Array, Float32Array];

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

/** Tools of one thread: kernels where the interactions lie in shared memory. */
export function rowTools({ workspace, items }: Interactions): RowTools {
  return workspace === null ? new PlainTools() : new KernelTools(workspace, items);
}
