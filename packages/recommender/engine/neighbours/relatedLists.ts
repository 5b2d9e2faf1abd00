import { eachRow, ListRows } from '../lists/listRows.ts';
import { binOf } from '../scores/cosineBins.ts';
import { centreIsotonic } from '../scores/centredIsotonic.ts';
import { valueBin } from './relatedFormula.ts';

/** Related items kept per row and target type. */
export const relatedLimit = 100;
/**
 * Marks a pair without common users, whose score is known only after all rows are computed. Until then the score's place
 * holds `cosineMark - cosine`, which is below 0.
 */
export const cosineMark = -2;
/** The same for an item without interactions in the list of another. */
export const contentMark = -5;
/** Marks an entry in the list of an item without interactions, whose score follows from its ranking value. */
export const valueMark = -8;

/**
 * Mean scores, see `CosineBins`: by the cosine, of any pair and of an item without interactions in the list of another; and by the ranking value
 * in the list of an item without interactions, where equal cosines say less than the value.
 */
export interface MeanScores {
  any: Float64Array;
  content: Float64Array;
  value: Float64Array;
}

/** Lists of related items that one thread computes. */
export interface RelatedLists {
  rows: ListRows;
  /** Row maximum of `P[i,j] d_j^0.3` per item, shared by all threads. */
  divisor: Float32Array;
}

/**
 * Sets the scores of pairs without common users after all rows are computed, and makes the scores of each type non-increasing
 * with the rank, on a line through the pools of `centreIsotonic`.
 * @param length entries of each row
 * @param pieces words of whole rows, changed in place
 * @param means scores of pairs without common users
 */
export function* finishRelated(
  length: Int32Array, pieces: Iterable<Int32Array>, itemGroup: Int32Array, means: MeanScores,
): Generator<Int32Array> {
  let first = 0;
  for (const piece of pieces) {
    const rows = length.subarray(first);
    let last = 0;
    eachRow(rows, [piece], 2, (row, items, floats) => {
      const count = rows[row] as number;
      finishRow(items.subarray(0, count), floats.subarray(count, 2 * count), floats.subarray(2 * count), itemGroup, means);
      last = row + 1;
    });
    first += last;
    yield piece;
  }
}

function finishRow(
  items: Int32Array, value: Float32Array, score: Float32Array, itemGroup: Int32Array, means: MeanScores,
): void {
  let start = 0;
  for (let entry = 0; entry < items.length; entry++) {
    const marked = score[entry] as number;
    if (marked < 0) score[entry] = marked === valueMark ? (means.value[valueBin(value[entry] as number)] as number) : scoreOfMark(marked, means);
    if (entry + 1 < items.length && itemGroup[items[entry + 1] as number] === itemGroup[items[entry] as number]) continue;
    centreIsotonic(value, score, start, entry + 1);
    start = entry + 1;
  }
}

/** The score of a pair without common users, from its mark. */
function scoreOfMark(mark: number, means: MeanScores): number {
  // A cosine is between -1 and 1, so the marks do not overlap.
  return mark < contentMark + 1.5 ? (means.content[binOf(contentMark - mark)] as number) : (means.any[binOf(cosineMark - mark)] as number);
}

/** Sets the scores of pairs without common users in the rows of the operator, in the same way as `finishRelated`. */
export function* finishOperator(length: Int32Array, pieces: Iterable<Int32Array>, means: MeanScores): Generator<Int32Array> {
  let first = 0;
  for (const piece of pieces) {
    const rows = length.subarray(first);
    let last = 0;
    eachRow(rows, [piece], 2, (row, _, floats) => {
      for (let entry = 2 * (rows[row] as number); entry < floats.length; entry++) {
        const marked = floats[entry] as number;
        if (marked < 0) floats[entry] = scoreOfMark(marked, means);
      }
      last = row + 1;
    });
    first += last;
    yield piece;
  }
}
