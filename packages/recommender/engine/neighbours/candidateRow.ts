/** One row of the Gram matrix `R^T D_u^pu R` at a time, with the row's best columns per target type. */
export interface CandidateRow {
  /** Weighted number of common users with item j at `2j`, plain number at `2j + 1`; 0 outside the row. */
  readonly sums: Float32Array;
  /** Items with common users except the row's own item, grouped by target type. */
  readonly touched: Int32Array;
  /** Group g has the entries `groupStart[g] .. groupStart[g+1]` of `touched`. */
  readonly groupStart: Int32Array;
  /** The items of each group with the largest `sum_j d_j^pb`, unordered, beginning at `groupStart[g]`. */
  readonly candidates: Int32Array;
  readonly candidateCount: Int32Array;
  /** Computes or reads the row of `item` and selects the row's candidates. */
  fill(item: number): void;
  /** Resets the row to zeros. */
  clear(): void;
}
