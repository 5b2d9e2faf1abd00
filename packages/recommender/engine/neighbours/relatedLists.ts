import { joinRows, makeListRows, type ListRows, type ScoredRows } from './listRows.ts';
import { binOf, type CosineBins } from '../scores/cosineBins.ts';
import { poolAdjacentViolators } from '../scores/poolAdjacentViolators.ts';

/** Related items kept per row and target type. */
export const relatedLimit = 100;
/**
 * A pair without common users waits for its score until all rows were seen; meanwhile `mark - cosine`, which is
 * below 0, stands in its place.
 */
export const cosineMark = -2;

/** Lists of related items that are being made, by one thread or several. */
export interface RelatedLists {
  rows: ListRows;
  groups: number;
  /** Items × groups: where in its row each group ends. */
  groupEnd: Int32Array;
  /** Row maximum of `P[i,j] d_j^0.3` per item. */
  divisor: Float32Array;
}

export function makeRelatedLists(itemGroup: Int32Array, groups: number): RelatedLists {
  const items = itemGroup.length;
  const members = new Float64Array(groups);
  for (const group of itemGroup) members[group] = (members[group] as number) + 1;
  const most = members.reduce((sum, count) => sum + Math.min(count, relatedLimit), 0);
  return {
    rows: makeListRows(items, () => most),
    groups,
    groupEnd: new Int32Array(new SharedArrayBuffer(4 * items * groups)),
    divisor: new Float32Array(new SharedArrayBuffer(4 * items)),
  };
}

/** Joins the rows when all are made, gives pairs without common users their scores and lets none rise with the rank. */
export function finishRelated({ rows, groups, groupEnd, divisor }: RelatedLists, bins: CosineBins): { related: ScoredRows; divisor: Float32Array } {
  const related = joinRows(rows);
  const { pointer, score } = related;
  const means = bins.means();
  for (let entry = 0; entry < score.length; entry++) {
    const marked = score[entry] as number;
    if (marked < 0) score[entry] = means[binOf(cosineMark - marked)] as number;
  }
  for (let item = 0; item < divisor.length; item++) {
    let start = pointer[item] as number;
    for (let group = 0; group < groups; group++) {
      const end = (pointer[item] as number) + (groupEnd[item * groups + group] as number);
      poolAdjacentViolators(score, start, end);
      start = end;
    }
  }
  return { related, divisor };
}
