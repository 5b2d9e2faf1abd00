import { Row } from '../modelFile/wordRows.ts';
import { BestItems } from './bestItems.ts';

/** The sums of one user's query over all items, kept from query to query and cleared through `touched`. */
export class UserSums {
  readonly value: Float64Array;
  readonly score: Float64Array;
  /** Sums over the transitions, where the model uses them; empty elsewhere. */
  readonly next: Float64Array;
  readonly touched: Int32Array;
  touchedCount = 0;
  readonly seen: Uint8Array;
  readonly history = new Row();
  readonly row = new Row();
  private readonly best = new Map<number, BestItems>();
  private readonly spare: BestItems[] = [];

  constructor(items: number, withTransitions: boolean) {
    this.value = new Float64Array(items);
    this.score = new Float64Array(items);
    this.next = new Float64Array(withTransitions ? items : 0);
    this.touched = new Int32Array(items);
    this.seen = new Uint8Array(items);
  }

  add(item: number, value: number, score: number): void {
    // Every touched item has a score mark of at least a denormal, so that a value of 0 does not touch it twice.
    if (this.score[item] === 0) {
      this.touched[this.touchedCount] = item;
      this.touchedCount += 1;
      this.score[item] = Number.MIN_VALUE;
    }
    this.value[item] = (this.value[item] ?? 0) + value;
    this.score[item] = (this.score[item] ?? 0) + score;
  }

  /** Forgets the sums, but not which items were seen. */
  clear(): void {
    for (let at = 0; at < this.touchedCount; at += 1) {
      const item = this.touched[at] ?? 0;
      this.value[item] = 0;
      this.score[item] = 0;
      if (this.next.length > 0) this.next[item] = 0;
    }
    this.touchedCount = 0;
  }

  bestOf(type: number, capacity: number): BestItems {
    let best = this.best.get(type);
    if (best === undefined) {
      best = this.spare.pop() ?? new BestItems();
      best.reset(capacity);
      this.best.set(type, best);
    }
    return best;
  }

  /** The best items by type, in the order of the types. */
  takeBest(): BestItems[] {
    const lists = [...this.best].sort(([a], [b]) => a - b).map(([, best]) => best);
    this.spare.push(...lists);
    this.best.clear();
    return lists;
  }
}
