import { eachRow, ListRows } from '../lists/listRows.ts';
import { binOf } from '../scores/cosineBins.ts';
import { poolAdjacentViolators } from '../scores/poolAdjacentViolators.ts';

/** Related items kept per row and target type. */
export const relatedLimit = 100;
/**
 * A pair without common users waits for its score until all rows were seen; meanwhile `mark - cosine`, which is
 * below 0, stands in its place.
 */
export const cosineMark = -2;

/** Lists of related items that are being made by one thread. */
export interface RelatedLists {
  rows: ListRows;
  /** Row maximum of `P[i,j] d_j^0.3` per item; threads share it. */
  divisor: Float32Array;
}

/**
 * Gives pairs without common users their scores when all rows are made, and lets no score of a type rise with the rank.
 * @param pieces words of whole rows, which are changed in place
 * @param means of `CosineBins`
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
