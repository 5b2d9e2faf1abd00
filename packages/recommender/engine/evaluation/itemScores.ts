/** Sparse scores by item: about a thousandth of a large catalogue has a score, all other items have 0. */
export class ItemScores {
  readonly value: Float64Array;
  /** Items that received a score; only the first `count` entries are valid. */
  readonly item: Int32Array;
  count = 0;
  private readonly met: Uint8Array;

  constructor(items: number) {
    this.value = new Float64Array(items);
    this.item = new Int32Array(items);
    this.met = new Uint8Array(items);
  }

  add(item: number, amount: number): void {
    if (this.met[item] === 0) {
      this.met[item] = 1;
      this.item[this.count++] = item;
    }
    this.value[item] = (this.value[item] as number) + amount;
  }

  /** The largest score, at least 0. */
  largest(): number {
    let most = 0;
    for (let at = 0; at < this.count; at++) most = Math.max(most, this.value[this.item[at] as number] as number);
    return most;
  }

  clear(): void {
    for (let at = 0; at < this.count; at++) {
      const item = this.item[at] as number;
      this.value[item] = 0;
      this.met[item] = 0;
    }
    this.count = 0;
  }
}
