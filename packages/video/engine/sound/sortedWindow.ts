/** The values around a place that moves from the first to the last one, in order of size: a step costs a search and two short copies. */
export class SortedWindow {
  private readonly values: Float32Array;
  private readonly reach: number;
  private readonly sorted: Float32Array;
  private count = 0;
  /** Number of the next value to come in. */
  private next = 0;

  /** @param reach values on either side that belong to the window; at the ends there are fewer */
  constructor(values: Float32Array, reach: number) {
    this.values = values;
    this.reach = reach;
    this.sorted = new Float32Array(2 * reach + 2);
  }

  /** Goes one further: 0, then 1, and so on. */
  moveTo(index: number): void {
    const end = Math.min(this.values.length, index + this.reach + 1);
    while (this.next < end) this.insert(this.values[this.next++]!);
    if (index > this.reach) this.remove(this.values[index - this.reach - 1]!);
  }

  /** The value below which this share of the window lies, 0 ≤ share < 1. */
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

  /** Number of values that are smaller. */
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
