import { eachRow, ListRows } from '../lists/listRows.ts';
import { binOf } from '../scores/cosineBins.ts';
import { poolAdjacentViolators } from '../scores/poolAdjacentViolators.ts';

/** Related items kept per row and target type. */
export const relatedLimit = 100;
/**
 * Marks a pair without common users, whose score is known only after all rows are computed. Until then the score's place
 * holds `cosineMark - cosine`, which is below 0.
 */
export const cosineMark = -2;

/** Lists of related items that one thread computes. */
export interface RelatedLists {
  rows: ListRows;
  /** Row maximum of `P[i,j] d_j^0.3` per item, shared by all threads. */
  divisor: Float32Array;
}

/**
 * Sets the scores of pairs without common users after all rows are computed, and makes the scores of each type non-increasing
 * with the rank.
 * @param length entries of each row
 * @param pieces words of whole rows, changed in place
 * @param means mean score per bin, from `CosineBins`
 */
export function* finishRelated(
  length: Int32Array, pieces: Iterable<Int32Array>, itemGroup: Int32Array, means: Float64Array,
): Generator<Int32Array> {
  let first = 0;
  for (const piece of pieces) {
    const rows = length.subarray(first);
    let last = 0;
    eachRow(rows, [piece], 2, (row, items, floats) => {
      finishRow(items.subarray(0, rows[row]), floats.subarray(2 * (rows[row] as number)), itemGroup, means);
      last = row + 1;
    });
    first += last;
    yield piece;
  }
}

function finishRow(items: Int32Array, score: Float32Array, itemGroup: Int32Array, means: Float64Array): void {
  let start = 0;
  for (let entry = 0; entry < items.length; entry++) {
    const marked = score[entry] as number;
    if (marked < 0) score[entry] = means[binOf(cosineMark - marked)] as number;
    if (entry + 1 < items.length && itemGroup[items[entry + 1] as number] === itemGroup[items[entry] as number]) continue;
    poolAdjacentViolators(score, start, entry + 1);
    start = entry + 1;
  }
}
