import { degreePowers } from '../matrix/interactions.ts';
import { selectLargest } from '../ranking/selectLargest.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** Candidates kept per row and target type; 200 of them survive in the operator (R@20 .1909, all: .1910). */
const candidateLimit = 800;

/**
 * One row at a time of the Gram matrix `R^T D_u^pu R`, in a dense accumulator, with its best columns per target type.
 */
export class GramRow {
  /** Weighted and plain number of common users of item j at `2j` and `2j + 1`; 0 outside the row. */
  readonly sums: Float64Array;
  /** Items with common users, without the item itself, one target type after the other. */
  readonly touched: Int32Array;
  /** Entries of group g in `touched` are `groupStart[g] .. groupStart[g+1]`. */
  readonly groupStart: Int32Array;
  /** The best items of each group by `sum_j d_j^pb`, at `groupStart[g]`, in no order. */
  readonly candidates: Int32Array;
  readonly candidateCount: Int32Array;
  private readonly interactions: Interactions;
  private readonly itemGroup: Int32Array;
  private readonly userWeight: Float64Array;
  private readonly popularityWeight: Float64Array;
  private readonly found: Int32Array;
  private readonly key: Float64Array;

  constructor(interactions: Interactions, itemGroup: Int32Array, groups: number, pu: number, pb: number) {
    this.interactions = interactions;
    this.itemGroup = itemGroup;
    this.userWeight = degreePowers(interactions.userDegree, pu);
    this.popularityWeight = degreePowers(interactions.itemDegree, pb);
    this.sums = new Float64Array(2 * interactions.items);
    this.touched = new Int32Array(interactions.items);
    this.found = new Int32Array(interactions.items);
    this.candidates = new Int32Array(interactions.items);
    this.key = new Float64Array(interactions.items);
    this.groupStart = new Int32Array(groups + 1);
    this.candidateCount = new Int32Array(groups);
  }

  /** Additions that computing all rows takes. */
  cost(): number {
    let sum = 0;
    for (const degree of this.interactions.userDegree) sum += degree * degree;
    return sum;
  }

  /** Computes the row of `item` and chooses its candidates. Returns the number of additions. */
  fill(item: number): number {
    const { rows, audience } = this.interactions;
    const { sums, found, userWeight } = this;
    let additions = 0;
    let count = 0;
    const lastUser = audience.pointer[item + 1] as number;
    for (let place = audience.pointer[item] as number; place < lastUser; place++) {
      const user = audience.index[place] as number;
      const weight = userWeight[user] as number;
      const start = rows.pointer[user] as number;
      const end = rows.pointer[user + 1] as number;
      additions += end - start;
      for (let entry = start; entry < end; entry++) {
        const other = rows.index[entry] as number;
        const common = sums[2 * other + 1] as number;
        if (common === 0) found[count++] = other;
        sums[2 * other] = (sums[2 * other] as number) + weight;
        sums[2 * other + 1] = common + 1;
      }
    }
    sums[2 * item] = 0;
    sums[2 * item + 1] = 0;
    this.group(item, count);
    for (let group = 0; group < this.candidateCount.length; group++) this.choose(group);
    return additions;
  }

  clear(): void {
    const end = this.groupStart[this.groupStart.length - 1] as number;
    for (let place = 0; place < end; place++) {
      const item = this.touched[place] as number;
      this.sums[2 * item] = 0;
      this.sums[2 * item + 1] = 0;
    }
  }

  private group(item: number, count: number): void {
    const { groupStart, itemGroup, found, touched } = this;
    groupStart.fill(0);
    for (let place = 0; place < count; place++) {
      const group = itemGroup[found[place] as number] as number;
      if (found[place] !== item) groupStart[group + 1] = (groupStart[group + 1] as number) + 1;
    }
    const groups = groupStart.length - 1;
    for (let group = 0; group < groups; group++) {
      groupStart[group + 1] = (groupStart[group + 1] as number) + (groupStart[group] as number);
    }
    // Each start moves to its end while its group fills, so afterwards they are moved one place on.
    for (let place = 0; place < count; place++) {
      const other = found[place] as number;
      if (other === item) continue;
      const group = itemGroup[other] as number;
      const to = groupStart[group] as number;
      touched[to] = other;
      groupStart[group] = to + 1;
    }
    for (let group = groups; group > 0; group--) groupStart[group] = groupStart[group - 1] as number;
    groupStart[0] = 0;
  }

  private choose(group: number): void {
    const start = this.groupStart[group] as number;
    const count = (this.groupStart[group + 1] as number) - start;
    const index = this.candidates.subarray(start, start + count);
    const kept = Math.min(count, candidateLimit);
    for (let place = 0; place < count; place++) {
      const other = this.touched[start + place] as number;
      index[place] = other;
      this.key[place] = (this.sums[2 * other] as number) * (this.popularityWeight[other] as number);
    }
    if (kept < count) selectLargest(this.key, index, count, kept);
    this.candidateCount[group] = kept;
  }
}
