/** Priority queue (binary heap) of candidate indices, highest gain first; ties go to the lower index. */
export class GainQueue {
  private readonly gains: Float64Array;
  private readonly heap: Uint32Array;
  private size = 0;

  /** @param gains gain per candidate, updated in place by `putBack`; candidates with a gain of 0 or less are left out */
  constructor(gains: Float64Array) {
    this.gains = gains;
    this.heap = Uint32Array.from(gains.keys()).filter((index) => gains[index]! > 0);
    this.size = this.heap.length;
    for (let place = (this.size >> 1) - 1; place >= 0; place--) this.sink(place);
  }

  /** Removes and returns the candidate with the highest gain; null if the queue is empty. */
  take(): number | null {
    if (this.size === 0) return null;
    const top = this.heap[0]!;
    this.heap[0] = this.heap[--this.size]!;
    this.sink(0);
    return top;
  }

  /** Whether a gain is at least as high as the highest gain in the queue. */
  leads(gain: number): boolean {
    return this.size === 0 || gain >= this.gains[this.heap[0]!]!;
  }

  /** Returns a removed candidate to the queue with a new gain. */
  putBack(index: number, gain: number): void {
    this.gains[index] = gain;
    let place = this.size++;
    this.heap[place] = index;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.before(this.heap[place]!, this.heap[parent]!)) return;
      this.swap(place, parent);
      place = parent;
    }
  }

  private before(a: number, b: number): boolean {
    return this.gains[a]! > this.gains[b]! || (this.gains[a] === this.gains[b] && a < b);
  }

  private sink(place: number): void {
    for (;;) {
      let best = place;
      for (let child = 2 * place + 1; child <= 2 * place + 2 && child < this.size; child++) {
        if (this.before(this.heap[child]!, this.heap[best]!)) best = child;
      }
      if (best === place) return;
      this.swap(place, best);
      place = best;
    }
  }

  private swap(a: number, b: number): void {
    const kept = this.heap[a]!;
    this.heap[a] = this.heap[b]!;
    this.heap[b] = kept;
  }
}
