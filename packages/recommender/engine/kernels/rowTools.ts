import type { QuantisedRows } from './quantisedRows.ts';
import type { SparseRows } from '../data/trainedModel.ts';

/**
 * Operations that compute rows of neighbours, implemented by the kernels and in plain TypeScript. All array arguments must
 * come from `floats`, `integers` or `place` of the same tools; a parameter `n` counts elements.
 */
export interface RowTools {
  floats(n: number): Float32Array;
  integers(n: number): Int32Array;
  /** Returns the array itself if the tools can access it, otherwise a copy that the tools can access. */
  place<Numbers extends Float32Array | Int32Array | Float64Array>(array: Numbers): Numbers;
  /** Allocates quantised rows, filled with zeros. */
  quantised(rows: number, columns: number): QuantisedRows;
  /** Sets a row to `values[k] weight[k]`, for as many columns as the row holds; null for `weight` means ones. */
  quantise(values: Float32Array, weight: Float32Array | null, out: QuantisedRows, row: number): void;
  /**
   * Computes `outs[q][k] = query q . row` for the first one to three rows of `queries`, one per entry of `outs`.
   * @param queries at least as wide as the matrix; extra columns are ignored
   * @param index the rows `index[0..n)`, or the number of the first of `n` consecutive rows
   */
  dot(queries: QuantisedRows, matrix: QuantisedRows, index: Int32Array | number, n: number, outs: Outs): void;
  /**
   * Computes `out[q n + k] = query q . row k` for the first `count` rows of `queries` and all n rows of a matrix, with the results of `dot` in less time.
   * @param queries at least as wide as the matrix; extra columns are ignored
   */
  dotAll(queries: QuantisedRows, count: number, matrix: QuantisedRows, out: Float32Array): void;
  /** Writes the keys of a row of the user operator to `key`. */
  operatorKeys(index: Int32Array, n: number, sums: Float32Array, terms: OperatorTerms, key: Float32Array): void;
  /**
   * Writes the keys of consecutive items of a row of the user operator to `key`, as `operatorKeys` does, with `damped` and `plain` in the same order.
   * @param touched the first `n` are all items with common users
   */
  comparedKeys(items: ConsecutiveItems, touched: Int32Array, n: number, sums: Float32Array, terms: OperatorTerms, key: Float32Array): void;
  /** Writes the keys of a row of related items to `key`, and each item's cosine to `terms.near`. */
  relatedKeys(index: Int32Array, n: number, sums: Float32Array, terms: RelatedTerms, key: Float32Array): void;
  /** Returns the largest `sums[2 index[k]] weight[index[k]]`, at least 0. */
  largestSum(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array): number;
  /**
   * Moves the `k` largest keys and their indexes to the front, unordered. Of equal keys, the smaller index is selected.
   * Entries after the first `k` are undefined.
   */
  selectLargest(key: Float32Array, index: Int32Array, n: number, k: number): void;
  /**
   * Writes the largest keys above 0 and their indexes to `outKey` and `outIndex`, at most `k`, in the order of `sortLargestFirst`.
   * @returns number of entries written
   */
  listLargest(key: Float32Array, index: Int32Array, n: number, k: number, outKey: Float32Array, outIndex: Int32Array): number;
  /** Sorts both arrays by descending key; equal keys by ascending index. */
  sortLargestFirst(key: Float32Array, index: Int32Array, n: number): void;
  /**
   * Adds a row of `R^T W R` to `sums`: the weights of common users at `2j`, their number at `2j + 1`.
   * @param found receives the items whose number was 0; one place longer than the number of items
   * @returns number of items written to `found`
   */
  gramRow(item: number, audience: SparseRows, rows: SparseRows, userWeight: Float32Array, sums: Float32Array, found: Int32Array): number;
  /**
   * Adds the weights of a history to the users of its items, and the weighted sums of these users to the sums of their items.
   * @param weights one per item, not below 0; an item with weight 0 is left out
   * @param userSums one entry per user, 0 before and afterwards
   * @param users receives the users reached; one place longer than the number of users
   * @param found receives the items whose sum was 0; one place longer than the number of items
   * @returns numbers of users and of items written, and of users and entries added up
   */
  spreadHistory(history: WeightedItems, audience: SparseRows, rows: SparseRows, userWeight: Float32Array, into: SpreadSums): ReachedCounts;
  /** Adds `weights[k]` times the row `items[k]` of a row-major matrix to `out`, for all items; `out` is as long as a row. */
  addRows(listed: WeightedItems, matrix: Float32Array, out: Float32Array): void;
  /**
   * Lists the touched items that have no mark, with `key = sums weight`.
   * @param found one place longer than there are items, as is `key`
   * @returns number of items listed
   */
  unmarkedKeys(touched: TouchedItems, weight: Float32Array, found: Int32Array, key: Float32Array): number;
  /**
   * Computes `sums scale` of the first `best` items of `found`, then of the other touched items that have a mark and a sum, which are appended to `found`; sets the
   * sums of all touched items to 0.
   * @param found one place longer than there are items, as is `out`
   * @returns number of items in `found`
   */
  takeSums(found: Int32Array, best: number, touched: TouchedItems, scale: Float32Array, out: Float32Array): number;
  /**
   * Computes `out[k]`, the value of item `index[k]`, 0 for items without a value.
   * @param table one entry per item of the catalogue, 0 before and afterwards
   */
  valuesAt(known: WeightedItems, table: Float32Array, index: Int32Array, n: number, out: Float32Array): void;
  /** Computes `out[k] = table[index[k]]`. */
  tableAt(table: Float32Array, index: Int32Array, n: number, out: Float32Array): void;
  /** Computes `out[k] = values[place[index[k]]]`, 0 where the place is below 0. */
  placedAt(place: Int32Array, values: Float32Array, index: Int32Array, n: number, out: Float32Array): void;
  /** Writes the scores of a history to `out`. Entries after the first `n` are undefined. */
  profileScores(terms: ProfileTerms, n: number, out: Float32Array): void;
  /** Adds `weight values[k]` to `out[k]`. Entries after the first `n` are undefined. */
  addScaled(values: Float32Array, weight: number, n: number, out: Float32Array): void;
  /** Computes `key[k] = sums[2 index[k]] weight[index[k]]`. */
  weighSums(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array, key: Float32Array): void;
  /** Sets the sums of the listed items to 0. */
  clearSums(index: Int32Array, n: number, sums: Float32Array): void;
}

export type Outs = readonly [Float32Array, second?: Float32Array, third?: Float32Array];

/** Items, or rows, with their weights; the first `count` are valid. */
export interface WeightedItems {
  items: Int32Array;
  weights: Float32Array;
  count: number;
}

/** What `spreadHistory` reached. */
export interface ReachedCounts {
  users: number;
  items: number;
  additions: number;
}

/** Memory of `spreadHistory`. */
export interface SpreadSums {
  userSums: Float32Array;
  users: Int32Array;
  /** One entry per item. */
  sums: Float32Array;
  found: Int32Array;
}

/** Items with sums, and marks of some items; `marked` and `sums` have one entry per item of the catalogue. */
export interface TouchedItems {
  items: Int32Array;
  count: number;
  marked: Int32Array;
  sums: Float32Array;
}

/** Terms of `(spread normaliser + high) column + lowPass low root`, one entry per listed item. */
export interface ProfileTerms {
  spread: Float32Array;
  high: Float32Array;
  column: Float32Array;
  low: Float32Array;
  root: Float32Array;
  normaliser: number;
  lowPass: number;
}

/** Terms of `key = rowPower (sums normaliser inverseRoot + damped) columnPower + lowPass plain root`. */
export interface OperatorTerms {
  /** One entry per listed item. */
  damped: Float32Array;
  plain: Float32Array;
  /** One entry per item of the catalogue. */
  inverseRoot: Float32Array;
  columnPower: Float32Array;
  root: Float32Array;
  normaliser: number;
  rowPower: number;
  lowPass: number;
}

/** Items in a fixed order, of which `count` from place `first` on get keys. */
export interface ConsecutiveItems {
  /** Place of each item of the catalogue, -1 for none. */
  place: Int32Array;
  first: number;
  count: number;
  /** Terms of the items from `first` on. */
  columnPower: Float32Array;
  root: Float32Array;
}

/**
 * Terms of `near = dot inverseLength inverseNorm` and `key = (seen sums columnWeight + expected clamp(term scale popularity)
 * + near) / 2`.
 */
export interface RelatedTerms {
  /** One entry per listed item; `term` is null if there is no prediction. */
  dot: Float32Array;
  term: Float32Array | null;
  /** One entry per item of the catalogue. */
  inverseNorm: Float32Array;
  columnWeight: Float32Array;
  popularity: Float32Array;
  near: Float32Array;
  inverseLength: number;
  seen: number;
  expected: number;
  scale: number;
}
