import type { Row, WordSource } from './wordRows.ts';

/** Items of a stored list: as many as a query gets that does not say how many it wants. */
export const storedListLimit = 100;

/** Scores are stored as they are shown, in whole millionths. */
export const scoreUnits = 1e6;

/** Entries of each row: `items` first, then as many scores; an item of -1 ends a shorter list. */
export function storedListLength(items: number): number {
  return Math.min(storedListLimit, items);
}

/** The row of each user in the section of stored lists; -1 for a user that is an item, since it is asked about as an item. */
export function numberListed(userNode: Int32Array, nodeItem: Int32Array): { rowOf: Int32Array; rows: number } {
  const rowOf = new Int32Array(userNode.length).fill(-1);
  let rows = 0;
  for (const [user, node] of userNode.entries()) if ((nodeItem[node] ?? -1) < 0) rowOf[user] = rows++;
  return { rowOf, rows };
}

/** The lists of users that were made at the end of the training: items of the default types, best first. */
export class StoredLists {
  readonly length: number;
  private readonly rowOf: Int32Array;
  private readonly source: WordSource;

  constructor(rowOf: Int32Array, items: number, source: WordSource) {
    this.rowOf = rowOf;
    this.length = storedListLength(items);
    this.source = source;
  }

  /**
   * Reads a user's list: `length` items at `row.start`, then their scores in millionths.
   * @returns false where the user has no stored list, because the user is an item or no item follows from the history
   */
  read(user: number, row: Row): boolean {
    const at = this.rowOf[user] ?? -1;
    if (at < 0 || this.length === 0) return false;
    row.fill(this.source, at * 2 * this.length, 2 * this.length, this.length);
    return (row.ints[row.start] ?? -1) >= 0;
  }
}
