import { degreePowers } from '../matrix/interactions.ts';
import { selectLargest } from '../ranking/selectLargest.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';

/**
 * Items of all target types together that a search over all pairs compares with each row's item. A row costs this many
 * products of two vectors, so the search takes about half as long as the rest of a training, in catalogues of any size.
 * Catalogues with more items are searched approximately: with an item of half of the users of a sparse shop held out (18,349
 * items), recall@20 is .0855 with 2,048 compared items, and .0859 with 8,192 items and with all items.
 */
export const comparedLimit = 4096;

/** The items that a search over all pairs compares with each row's item. Threads share the arrays. */
export interface ComparedItems {
  /** Items grouped by target type, ascending within a type; group g has the entries `start[g] .. start[g+1]`. */
  items: Int32Array;
  start: Int32Array;
  /** The vectors of `items`, in the same order. */
  vectors: QuantisedRows;
  /** Position of each item in `items`, -1 if the item is not compared. */
  place: Int32Array;
}

/**
 * Chooses the items of each target type with the largest `|V_j| d_j^1/2`, an upper bound of an item's spectral terms. Larger
 * target types share the places that smaller types leave.
 * @param factors factors whose vectors are in memory that the tools can access
 * @param limit number of items of all types together
 */
export function findCompared(
  tools: RowTools, interactions: Interactions, factors: Factors, itemGroup: Int32Array, groups: number, limit = comparedLimit,
): ComparedItems {
  const { items: count, itemDegree } = interactions;
  const { rank, vectors } = factors;
  const bound = degreePowers(itemDegree, 0.5).map((root, item) => {
    let squares = 0;
    for (let place = item * rank; place < (item + 1) * rank; place++) squares += (vectors[place] as number) ** 2;
    return root * Math.sqrt(squares);
  });
  const members: number[][] = Array.from({ length: groups }, () => []);
  for (let item = 0; item < count; item++) if ((bound[item] as number) > 0) members[itemGroup[item] as number]?.push(item);
  const kept = shareOut(members.map(({ length }) => length), limit);
  const start = new Int32Array(groups + 1);
  const chosen = members.map((all, group) => {
    const index = Int32Array.from(all);
    const size = kept[group] as number;
    start[group + 1] = (start[group] as number) + size;
    if (size < index.length) selectLargest(Float64Array.from(index, (item) => bound[item] as number), index, index.length, size);
    return index.subarray(0, size).sort();
  });
  const items = tools.integers(start[groups] as number);
  chosen.forEach((index, group) => items.set(index, start[group]));
  const packed = tools.quantised(items.length, rank);
  const place = tools.integers(count).fill(-1);
  items.forEach((item, at) => {
    tools.quantise(vectors.subarray(item * rank, (item + 1) * rank), null, packed, at);
    place[item] = at;
  });
  return { items, start, vectors: packed, place };
}

/** Divides `limit` places: small groups are served completely, and the other groups get equal shares of the rest. */
function shareOut(sizes: readonly number[], limit: number): number[] {
  const kept = sizes.map(() => 0);
  const order = sizes.map((_, group) => group).sort((a, b) => (sizes[a] as number) - (sizes[b] as number));
  let left = limit;
  order.forEach((group, at) => {
    kept[group] = Math.min(sizes[group] as number, Math.floor(left / (order.length - at)));
    left -= kept[group] as number;
  });
  return kept;
}
