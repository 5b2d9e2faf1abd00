import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';

/** As many pairs as a default list is smoothed over, and the same again. */
const firstRoom = 512;

/**
 * Keeps the `capacity` best (item, value) pairs seen: greater value first, of equal ones the smaller item number. Pairs are
 * gathered until there are twice as many, then the worse half goes.
 */
export class BestItems {
  item = new Int32Array(firstRoom);
  value = new Float64Array(firstRoom);
  count = 0;
  /** No pair with a value below it is among the best. */
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

  /** Orders the kept pairs best first; no pair may be offered afterwards without a reset. */
  sort(): void {
    this.select();
    sortLargestFirst(this.value, this.item, this.count);
  }

  private select(): void {
    if (this.count <= this.capacity) return;
    selectLargest(this.value, this.item, this.count, this.capacity);
    this.count = this.capacity;
  }

  /** Drops what is not among the best, or grows as far as twice the capacity. */
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
