const fewest = 200;
const most = 400;
/** Entries that all rows of a target type may have together, 12 bytes each, so 240 MB: up to 50,000 items keep 400 per row. */
const affordable = 20_000_000;

/**
 * Entries of an item's row of the user operator, per target type: as many as are affordable, 200 to 400. On a fifth held out
 * of Gowalla's training file recall@20 and ndcg@20 are .2134 and .1515 with 200, .2144 and .1522 with 300, .2147 and .1523
 * with 400, .2150 and .1526 with 800.
 */
export function operatorLimit(items: number): number {
  return Math.min(most, Math.max(fewest, Math.floor(affordable / Math.max(1, items))));
}
