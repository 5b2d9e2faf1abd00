import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';

/** Initial room in pairs, for default lists (twice the 200 smoothed ranks, rounded up). */
const firstRoom = 512;

/**
 * Keeps the `capacity` best (item, value) pairs offered: larger value first; of equal values, the smaller item number first.
 * Pairs are collected up to twice the capacity, then the worse half is dropped.
 */
export class BestItems {
  item = new Int32Array(firstRoom);
  value = new Float64Array(firstRoom);
  count = 0;
  /** Lower bound of the best pairs' values: a pair with a smaller value is dropped at once. */
  least = Number.NEGATIVE_INFINITY;
  private capacity = 0;
  private room = 0;

  reset(capacity: number): void {
    this.count = 0;
    this.least = capacity > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    this.capacity = capacity;
    this.room = Math.max(firstRoom, 2 * capacity);
  }

  offer(item: number, value: number): void {
    if (value < this.least) return;
    if (this.count === this.item.length) this.makeRoom();
    this.item[this.count] = item;
    this.value[this.count] = value;
    this.count += 1;
  }

  /** Sorts the kept pairs, best first. No pair may be offered afterwards without a reset. */
  sort(): void {
    this.select();
    sortLargestFirst(this.value, this.item, this.count);
  }

  private select(): void {
    if (this.count <= this.capacity) return;
    selectLargest(this.value, this.item, this.count, this.capacity);
    this.count = this.capacity;
  }

  /** Drops pairs that are not among the best, or grows the arrays up to twice the capacity. */
  private makeRoom(): void {
    if (this.count < this.room) return this.grow();
    this.select();
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < this.count; at += 1) least = Math.min(least, this.value[at] ?? 0);
    this.least = least;
  }

  private grow(): void {
    const { item, value } = this;
    const size = Math.min(this.room, item.length * 2);
    this.item = new Int32Array(size);
    this.item.set(item);
    this.value = new Float64Array(size);
    this.value.set(value);
  }
}
