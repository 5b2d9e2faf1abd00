import { degreePowers } from '../matrix/interactions.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import type { Factors } from '../factors/factorise.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** Exponent of the candidate's popularity in the interaction half of the ranking value of related items. */
export const popularityExponent = 0.3;
/** Items of each type that the search for the largest predictions covers: the items whose predictions can be largest. */
export const boundCandidateLimit = 2048;
/** Leading directions of V that the search compares; content embeddings use no further directions. */
const searchedColumns = 128;

/**
 * Items of one target type with the largest `|E_j| d_j^0.3`, which is proportional to an upper bound of an item's prediction.
 */
export interface BoundCandidates {
  items: Int32Array;
  /** The leading columns of V for these items, in consecutive rows. */
  packed: QuantisedRows;
}

/**
 * Finds the items of each target type with the largest bound on their predictions.
 * @param factors factors whose vectors are in memory that the tools can access
 * @returns one entry per target type
 */
export function findBoundCandidates(
  tools: RowTools, interactions: Interactions, factors: Factors, itemGroup: Int32Array, groups: number,
): BoundCandidates[] {
  const { rank, vectors, eigenvalues } = factors;
  const popularity = degreePowers(interactions.itemDegree, popularityExponent);
  const bound = popularity.map((power, item) => {
    let squares = 0;
    for (let k = 0, place = item * rank; k < rank; k++, place++) squares += (vectors[place] as number) ** 2 * (eigenvalues[k] as number);
    return power * Math.sqrt(squares);
  });
  const columns = Math.min(rank, searchedColumns);
  return Array.from({ length: groups }, (_, group) => {
    const members = Int32Array.from(itemGroup.keys()).filter((item) => itemGroup[item] === group && (bound[item] as number) > 0);
    const key = Float64Array.from(members, (item) => bound[item] as number);
    const kept = Math.min(boundCandidateLimit, members.length);
    selectLargest(key, members, members.length, kept);
    sortLargestFirst(key, members, kept);
    const items = tools.place(members.slice(0, kept));
    const packed = tools.quantised(kept, columns);
    items.forEach((item, place) => tools.quantise(vectors.subarray(item * rank, item * rank + columns), null, packed, place));
    return { items, packed };
  });
}
