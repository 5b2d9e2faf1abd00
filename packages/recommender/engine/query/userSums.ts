import { Row } from '../modelFile/wordRows.ts';
import { BestItems } from './bestItems.ts';

const firstPlaces = 4096;
/** Steps of 1/32 of an octave below the largest value; values further down share the last. */
const steps = 512;

/**
 * The sums of one user's query, kept from query to query and cleared through what was touched. Items that are touched get places
 * 1, 2, … in this order, and the sums lie there: a user touches a thousandth of a large catalogue, which stays in the cache.
 */
export class UserSums {
  /** Place of each item, 0 for none. */
  readonly place: Int32Array;
  /** At the places: the item, the sum that orders, that of the scores, and that over transitions. */
  item = new Int32Array(firstPlaces);
  value = new Float64Array(firstPlaces);
  score = new Float64Array(firstPlaces);
  next = new Float64Array(firstPlaces);
  touched = 0;
  readonly seen: Uint8Array;
  readonly history = new Row();
  readonly row = new Row();
  private readonly perStep = new Int32Array(steps);
  private readonly best = new Map<number, BestItems>();
  private readonly spare: BestItems[] = [];

  constructor(items: number) {
    this.place = new Int32Array(items);
    this.seen = new Uint8Array(items);
  }

  /** Adds the entries of `row` with a weight: item, value, score. */
  addRow(weight: number): void {
    this.reserve(this.row.count);
    const { place, item, value, score, next } = this;
    const { ints, floats, start, count } = this.row;
    let { touched } = this;
    for (let entry = start; entry < start + count; entry += 1) {
      const other = ints[entry] ?? 0;
      let at = place[other] ?? 0;
      if (at === 0) {
        at = touched += 1;
        place[other] = at;
        item[at] = other;
        value[at] = 0;
        score[at] = 0;
        next[at] = 0;
      }
      value[at] = (value[at] ?? 0) + weight * (floats[entry + count] ?? 0);
      score[at] = (score[at] ?? 0) + weight * (floats[entry + 2 * count] ?? 0);
    }
    this.touched = touched;
  }

  /** Adds the entries of `row`, item and value, to the sums over transitions with a weight. */
  addNext(weight: number): void {
    this.reserve(this.row.count);
    const { next } = this;
    const { ints, floats, start, count } = this.row;
    for (let entry = start; entry < start + count; entry += 1) {
      const at = this.touch(ints[entry] ?? 0);
      next[at] = (next[at] ?? 0) + weight * (floats[entry + count] ?? 0);
    }
  }

  /** The place of an item, which is touched by it. */
  touch(item: number): number {
    const known = this.place[item] ?? 0;
    if (known > 0) return known;
    this.reserve(1);
    const at = this.touched + 1;
    this.touched = at;
    this.place[item] = at;
    this.item[at] = item;
    this.value[at] = 0;
    this.score[at] = 0;
    this.next[at] = 0;
    return at;
  }

  /** Makes room for so many further places. */
  reserve(places: number): void {
    const wanted = this.touched + places + 1;
    if (wanted <= this.item.length) return;
    const size = Math.max(wanted, 2 * this.item.length);
    this.item = grown(this.item, new Int32Array(size));
    this.value = grown(this.value, new Float64Array(size));
    this.score = grown(this.score, new Float64Array(size));
    this.next = grown(this.next, new Float64Array(size));
  }

  /** Takes the items of the history out of what orders. */
  dropSeen(): void {
    const { ints, start, count } = this.history;
    for (let at = start; at < start + count; at += 1) {
      const place = this.place[ints[at] ?? 0] ?? 0;
      if (place === 0) continue;
      this.value[place] = 0;
      this.next[place] = 0;
    }
  }

  /** A number that at least `count` values reach, near the largest such one; 0 where fewer are positive or near. */
  reachedBy(count: number): number {
    const { value, touched, perStep } = this;
    let most = 0;
    for (let at = 1; at <= touched; at += 1) most = Math.max(most, value[at] ?? 0);
    if (most <= 0 || touched <= count) return 0;
    // The upper halves of positive floats, as whole numbers, rise with them: eleven bits of exponent, then those of the fraction.
    const halves = new Int32Array(value.buffer);
    halfOf[0] = most;
    const top = (halfBits[1] ?? 0) >> 15;
    perStep.fill(0);
    for (let at = 1; at <= touched; at += 1) {
      const step = top - ((halves[2 * at + 1] ?? 0) >> 15);
      if (step < steps) perStep[step] = (perStep[step] ?? 0) + 1;
    }
    let reached = 0;
    for (let step = 0; step < steps; step += 1) {
      reached += perStep[step] ?? 0;
      if (reached < count) continue;
      halfBits[1] = (top - step) << 15;
      halfBits[0] = 0;
      return halfOf[0] ?? 0;
    }
    return 0;
  }

  /** Forgets the sums, but not which items were seen. */
  clear(): void {
    const { place, item, touched } = this;
    for (let at = 1; at <= touched; at += 1) place[item[at] ?? 0] = 0;
    this.touched = 0;
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

const halfOf = new Float64Array(1);
const halfBits = new Int32Array(halfOf.buffer);

function grown<Numbers extends Int32Array | Float64Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from);
  return into;
}
