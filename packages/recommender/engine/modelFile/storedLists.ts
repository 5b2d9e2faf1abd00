import type { Row, WordSource } from './wordRows.ts';

/** Number of items in a stored list: twice the default number of items of a query, so that a filter that a fifth of the items pass leaves enough for a page. */
export const storedListLimit = 200;
/** The same number in files before version 6. */
const earlierLimit = 100;

/** Scores are stored as displayed, in whole millionths. */
export const scoreUnits = 1e6;

/**
 * Length of a stored list; a row has as many items, followed by as many scores. An item of -1 ends a shorter list.
 * @param items number of items of the model
 * @param version version of the file
 */
export function storedListLength(items: number, version = Number.MAX_SAFE_INTEGER): number {
  return Math.min(limitOf(version), items);
}

const limitOf = (version: number): number => (version < 6 ? earlierLimit : storedListLimit);

/**
 * Numbers the rows of the stored lists by user. A user that is also an item has no row (-1), because queries for it return
 * related items.
 */
export function numberListed(userNode: Int32Array, nodeItem: Int32Array): { rowOf: Int32Array; rows: number } {
  const rowOf = new Int32Array(userNode.length).fill(-1);
  let rows = 0;
  for (const [user, node] of userNode.entries()) if ((nodeItem[node] ?? -1) < 0) rowOf[user] = rows++;
  return { rowOf, rows };
}

/** The lists of users computed at the end of the training: items of the default types, best first. */
export class StoredLists {
  readonly length: number;
  /** Largest number of items of a query whose list is stored. */
  readonly limit: number;
  private readonly rowOf: Int32Array;
  private readonly source: WordSource;

  /** @param version version of the file */
  constructor(rowOf: Int32Array, items: number, version: number, source: WordSource) {
    this.rowOf = rowOf;
    this.limit = limitOf(version);
    this.length = storedListLength(items, version);
    this.source = source;
  }

  /**
   * Reads a user's list: `length` items at `row.start`, then their scores in millionths.
   * @returns false if the user has no stored list, because the user is an item or the history leads to no items
   */
  read(user: number, row: Row): boolean {
    const at = this.rowOf[user] ?? -1;
    if (at < 0 || this.length === 0) return false;
    row.fill(this.source, at * 2 * this.length, 2 * this.length, this.length);
    return (row.ints[row.start] ?? -1) >= 0;
  }
}
