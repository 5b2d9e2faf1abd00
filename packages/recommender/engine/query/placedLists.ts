import { keepLatest } from './keepLatest.ts';
import type { Ranking } from './ranking.ts';

/** Maximum number of lists in memory: about 6 MB. */
const maxLists = 2048;

/** A stored list with added items in their places. */
export interface PlacedList {
  items: Int32Array;
  scores: Float64Array;
  /** Number of ranks of the stored list before the first hidden item. */
  reach: number;
}

/**
 * Stored lists of users with added items in their places, of the latest users. Placing takes many times as long as reading the list, and users come back;
 * a list is valid until an item is added, removed or hidden.
 */
export class PlacedLists {
  private readonly lists = new Map<number, PlacedList>();
  private changes = -1;
  private hidden: Uint8Array | null = null;

  /**
   * Returns the list of a user; undefined if the list has to be made.
   * @param changes changes of the added items
   * @param hidden hidden items; another array after each change
   */
  get(user: number, changes: number, hidden: Uint8Array | null): PlacedList | undefined {
    if (changes !== this.changes || hidden !== this.hidden) this.lists.clear();
    this.changes = changes;
    this.hidden = hidden;
    return this.lists.get(user);
  }

  /** Keeps the list that `ranking` has. @param reach number of ranks of the stored list before the first hidden item */
  keep(user: number, { item, score, count }: Ranking, reach: number): PlacedList {
    const list = { items: item.slice(0, count), scores: score.slice(0, count), reach };
    keepLatest(this.lists, user, list, maxLists);
    return list;
  }
}
