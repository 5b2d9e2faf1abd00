const fewest = 200;
const most = 400;
/** Entries of all rows of a target type together: 240 MB at 12 bytes each. Up to 50,000 items keep 400 entries per row. */
const affordable = 20_000_000;

/**
 * Entries of an item's row in the user operator, per target type: 200 to 400, depending on `affordable`. With a fifth of
 * Gowalla's training file held out, recall@20 and ndcg@20 are .2134 and .1515 with 200 entries, .2144 and .1522 with 300,
 * .2147 and .1523 with 400, .2150 and .1526 with 800.
 */
export function operatorLimit(items: number): number {
  return Math.min(most, Math.max(fewest, Math.floor(affordable / Math.max(1, items))));
}

/** Entries per target type of an operator row that contains regression weights, see ridgeMatrix.ts. */
export const ridgedLimit = 800;
