import { Row } from '../modelFile/wordRows.ts';
import { BestItems } from './bestItems.ts';

const firstPlaces = 4096;
/** Number of steps of 1/32 of an octave below the largest value; smaller values are not counted. */
const steps = 512;

/**
 * The sums of one user's query, reused by all queries; only touched entries are cleared. Touched items get places 1, 2, … in
 * the order of touching, and the sums are stored by place: a query touches about a thousandth of a large catalogue, which
 * fits into the cache.
 */
export class UserSums {
  /** Place of each item, 0 for none. */
  readonly place: Int32Array;
  /**
   * By place: the item, the sum of ranking values, the sum of pair scores, each weighted by its positive part of the ranking
   * value, the sum of these weights, and the sum of transitions.
   */
  item = new Int32Array(firstPlaces);
  value = new Float64Array(firstPlaces);
  score = new Float64Array(firstPlaces);
  evidence = new Float64Array(firstPlaces);
  next = new Float64Array(firstPlaces);
  touched = 0;
  readonly seen: Uint8Array;
  readonly history = new Row();
  readonly weights = new Row();
  readonly disliked = new Row();
  readonly row = new Row();
  private readonly perStep = new Int32Array(steps);
  private readonly best = new Map<number, BestItems>();
  private readonly spare: BestItems[] = [];

  constructor(items: number) {
    this.place = new Int32Array(items);
    this.seen = new Uint8Array(items);
  }

  /** Adds the entries of `row` (item, value, score), multiplied by a weight. */
  addRow(weight: number): void {
    this.reserve(this.row.count);
    const { place, item, value, score, evidence, next } = this;
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
        evidence[at] = 0;
        next[at] = 0;
      }
      const part = weight * (floats[entry + count] ?? 0);
      value[at] = (value[at] ?? 0) + part;
      if (part <= 0) continue;
      score[at] = (score[at] ?? 0) + part * (floats[entry + 2 * count] ?? 0);
      evidence[at] = (evidence[at] ?? 0) + part;
    }
    this.touched = touched;
  }

  /**
   * Adds the entries of `row` (item, value, score), multiplied by a weight below 0. Entries with values below 0 are left out,
   * because a dislike must not raise any item.
   */
  lowerByRow(weight: number): void {
    this.reserve(this.row.count);
    const { value, score } = this;
    const { ints, floats, start, count } = this.row;
    for (let entry = start; entry < start + count; entry += 1) {
      const at = this.touch(ints[entry] ?? 0);
      const part = weight * Math.max(0, floats[entry + count] ?? 0);
      value[at] = (value[at] ?? 0) + part;
      score[at] = (score[at] ?? 0) + part * (floats[entry + 2 * count] ?? 0);
    }
  }

  /** Adds the entries of `row` (item, value), multiplied by a weight, to the sums of transitions. */
  addNext(weight: number): void {
    this.reserve(this.row.count);
    const { next } = this;
    const { ints, floats, start, count } = this.row;
    for (let entry = start; entry < start + count; entry += 1) {
      const at = this.touch(ints[entry] ?? 0);
      next[at] = (next[at] ?? 0) + weight * (floats[entry + count] ?? 0);
    }
  }

  /** Returns the place of an item; a new item gets the next place. */
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
    this.evidence[at] = 0;
    this.next[at] = 0;
    return at;
  }

  /** Makes room for more places. */
  reserve(places: number): void {
    const wanted = this.touched + places + 1;
    if (wanted <= this.item.length) return;
    const size = Math.max(wanted, 2 * this.item.length);
    this.item = grown(this.item, new Int32Array(size));
    this.value = grown(this.value, new Float64Array(size));
    this.score = grown(this.score, new Float64Array(size));
    this.evidence = grown(this.evidence, new Float64Array(size));
    this.next = grown(this.next, new Float64Array(size));
  }

  /** Sets the ranking values and transitions of the history's items and of disliked items to 0. */
  dropSeen(): void {
    this.drop(this.history);
    this.drop(this.disliked);
  }

  private drop({ ints, start, count }: Row): void {
    for (let at = start; at < start + count; at += 1) {
      const place = this.place[ints[at] ?? 0] ?? 0;
      if (place === 0) continue;
      this.value[place] = 0;
      this.next[place] = 0;
    }
  }

  /**
   * A lower bound that at least `count` values reach, close to the largest such bound; 0 if too few values are positive or in
   * range.
   */
  reachedBy(count: number): number {
    const { value, touched, perStep } = this;
    let most = 0;
    for (let at = 1; at <= touched; at += 1) most = Math.max(most, value[at] ?? 0);
    if (most <= 0 || touched <= count) return 0;
    // The upper halves of positive doubles, read as integers, have the same order as the doubles: eleven exponent bits, then
    // fraction bits.
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

  /** Clears the sums, but not the marks of seen items. */
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

  /** Returns the best items of each type, ordered by type. */
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
