import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';

/** Sums of the scores of added items. */
export class AddedSums {
  private readonly first: number;
  private readonly sum: Float64Array;
  private readonly count: Int32Array;
  private readonly touched: Int32Array;
  private touchedCount = 0;

  /**
   * @param first number of the first added item
   * @param end number behind the last added item
   */
  constructor(first: number, end: number) {
    this.first = first;
    this.sum = new Float64Array(end - first);
    this.count = new Int32Array(end - first);
    this.touched = new Int32Array(end - first);
  }

  add(item: number, score: number): void {
    const at = item - this.first;
    const count = this.count[at] ?? 0;
    if (count === 0) {
      this.touched[this.touchedCount] = item;
      this.touchedCount += 1;
    }
    this.count[at] = count + 1;
    this.sum[at] = (this.sum[at] ?? 0) + score;
  }

  mean(item: number): number {
    return (this.sum[item - this.first] ?? 0) / (this.count[item - this.first] ?? 0);
  }

  /** Returns the items with the largest sums, largest first. */
  largest(limit: number): Int32Array {
    const items = this.touched.slice(0, this.touchedCount);
    const sums = Float64Array.from(items, (item) => this.sum[item - this.first] ?? 0);
    const kept = Math.min(items.length, limit);
    selectLargest(sums, items, items.length, kept);
    sortLargestFirst(sums, items, kept);
    return items.slice(0, kept);
  }
}
