/** One row of the Gram matrix `R^T D_u^pu R` at a time, with its best columns per target type. */
export interface CandidateRow {
  /** Weighted and plain number of common users of item j at `2j` and `2j + 1`; 0 outside the row. */
  readonly sums: Float32Array;
  /** Items with common users, without the item itself, one target type after the other. */
  readonly touched: Int32Array;
  /** Entries of group g in `touched` are `groupStart[g] .. groupStart[g+1]`. */
  readonly groupStart: Int32Array;
  /** The best items of each group by `sum_j d_j^pb`, at `groupStart[g]`, in no order. */
  readonly candidates: Int32Array;
  readonly candidateCount: Int32Array;
  /** Computes or reads the row of `item` and its candidates. */
  fill(item: number): void;
  /** Forgets the row. */
  clear(): void;
}
