/**
 * A sliding window over an array that keeps its values sorted, for quantiles. Each step costs one binary search and one short
 * copy per value that enters or leaves the window.
 */
export class SortedWindow {
  private readonly values: Float32Array;
  private readonly reach: number;
  private readonly sorted: Float32Array;
  private count = 0;
  /** Index of the next value that enters the window. */
  private next = 0;

  /** @param reach number of values on each side of the centre; the window is shorter at the ends of the array */
  constructor(values: Float32Array, reach: number) {
    this.values = values;
    this.reach = reach;
    this.sorted = new Float32Array(2 * reach + 2);
  }

  /** Moves the centre of the window. Call with 0, 1, 2, … without gaps. */
  moveTo(index: number): void {
    const end = Math.min(this.values.length, index + this.reach + 1);
    while (this.next < end) this.insert(this.values[this.next++]!);
    if (index > this.reach) this.remove(this.values[index - this.reach - 1]!);
  }

  /** The quantile of the window at `share`, 0 ≤ share < 1. */
  at(share: number): number {
    return this.sorted[Math.floor(this.count * share)]!;
  }

  private insert(value: number): void {
    const place = this.placeOf(value);
    this.sorted.copyWithin(place + 1, place, this.count++);
    this.sorted[place] = value;
  }

  private remove(value: number): void {
    const place = this.placeOf(value);
    this.sorted.copyWithin(place, place + 1, this.count--);
  }

  /** Number of values in the window that are smaller than `value`. */
  private placeOf(value: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
