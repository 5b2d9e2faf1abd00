/** Keeps the `capacity` best (item, value) pairs seen: greater value first, of equal ones the smaller item number. */
export class BestItems {
  item = new Int32Array(256);
  value = new Float64Array(256);
  count = 0;
  private capacity = 0;

  reset(capacity: number): void {
    this.count = 0;
    this.capacity = capacity;
  }

  offer(item: number, value: number): void {
    if (this.count < this.capacity) {
      if (this.count === this.item.length) this.grow();
      this.count += 1;
      this.siftUp(this.count - 1, item, value);
    } else if (this.capacity > 0 && this.isWorse(0, item, value)) {
      this.siftDown(item, value, this.count);
    }
  }

  /** Orders the kept pairs best first; no pair may be offered afterwards without a reset. */
  sort(): void {
    for (let end = this.count - 1; end > 0; end -= 1) {
      const item = this.item[end] ?? 0;
      const value = this.value[end] ?? 0;
      this.place(end, this.item[0] ?? 0, this.value[0] ?? 0);
      this.siftDown(item, value, end);
    }
  }

  /** True when the pair at `at` is worse than (item, value). */
  private isWorse(at: number, item: number, value: number): boolean {
    const own = this.value[at] ?? 0;
    return own < value || (own === value && (this.item[at] ?? 0) > item);
  }

  private siftUp(from: number, item: number, value: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.isWorse(parent, item, value)) break;
      this.place(at, this.item[parent] ?? 0, this.value[parent] ?? 0);
      at = parent;
    }
    this.place(at, item, value);
  }

  /** Puts a pair at the root (the worst) of the heap of `end` pairs and restores its order. */
  private siftDown(item: number, value: number, end: number): void {
    let at = 0;
    for (let child = 1; child < end; child = 2 * at + 1) {
      const right = child + 1;
      if (right < end && this.isWorse(right, this.item[child] ?? 0, this.value[child] ?? 0)) child = right;
      if (!this.isWorse(child, item, value)) break;
      this.place(at, this.item[child] ?? 0, this.value[child] ?? 0);
      at = child;
    }
    this.place(at, item, value);
  }

  private place(at: number, item: number, value: number): void {
    this.item[at] = item;
    this.value[at] = value;
  }

  private grow(): void {
    const { item, value } = this;
    this.item = new Int32Array(item.length * 2);
    this.item.set(item);
    this.value = new Float64Array(value.length * 2);
    this.value.set(value);
  }
}
