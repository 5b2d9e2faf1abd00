import { degreePowers } from '../matrix/interactions.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import type { CandidateRow } from './candidateRow.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** Candidates kept per row and target type; the operator keeps 200 to 400 of them. */
export const candidateLimit = 800;

/**
 * Computes one row of the Gram matrix `R^T D_u^pu R` at a time in a dense accumulator and selects the row's best columns per
 * target type.
 */
export class GramRow implements CandidateRow {
  /** Weighted number of common users with item j at `2j`, plain number at `2j + 1`; 0 outside the row. */
  readonly sums: Float32Array;
  /** Items with common users except the row's own item, grouped by target type. */
  readonly touched: Int32Array;
  /** Group g has the entries `groupStart[g] .. groupStart[g+1]` of `touched`. */
  readonly groupStart: Int32Array;
  /** The items of each group with the largest `sum_j d_j^pb`, unordered, beginning at `groupStart[g]`. */
  readonly candidates: Int32Array;
  readonly candidateCount: Int32Array;
  private readonly tools: RowTools;
  private readonly interactions: Interactions;
  private readonly itemGroup: Int32Array;
  private readonly userWeight: Float32Array;
  private readonly popularityWeight: Float32Array;
  private readonly found: Int32Array;
  private readonly key: Float32Array;

  constructor(interactions: Interactions, itemGroup: Int32Array, groups: number, pu: number, pb: number) {
    this.interactions = interactions;
    this.itemGroup = itemGroup;
    const { items, userDegree, itemDegree } = interactions;
    const tools = createRowTools(interactions);
    this.tools = tools;
    this.userWeight = tools.place(Float32Array.from(degreePowers(userDegree, pu)));
    this.popularityWeight = tools.place(Float32Array.from(degreePowers(itemDegree, pb)));
    this.sums = tools.floats(2 * items);
    this.touched = tools.integers(items);
    // One extra place, because the kernel writes an item before it checks whether the item is new.
    this.found = tools.integers(items + 1);
    this.candidates = tools.integers(items);
    this.key = tools.floats(items);
    this.groupStart = new Int32Array(groups + 1);
    this.candidateCount = new Int32Array(groups);
  }

  /** Number of additions needed to compute the row of an item. */
  additions(item: number): number {
    const { audience, userDegree } = this.interactions;
    let sum = 0;
    const end = audience.pointer[item + 1] as number;
    for (let place = audience.pointer[item] as number; place < end; place++) sum += userDegree[audience.index[place] as number] as number;
    return sum;
  }

  /** Computes the row of `item` and selects the row's candidates. */
  fill(item: number): void {
    const { rows, audience } = this.interactions;
    const count = this.tools.gramRow(item, audience, rows, this.userWeight, this.sums, this.found);
    this.sums[2 * item] = 0;
    this.sums[2 * item + 1] = 0;
    this.group(item, count);
    for (let group = 0; group < this.candidateCount.length; group++) this.choose(group);
  }

  clear(): void {
    this.tools.clearSums(this.touched, this.groupStart[this.groupStart.length - 1] as number, this.sums);
  }

  private group(item: number, count: number): void {
    const { groupStart, itemGroup, found, touched } = this;
    groupStart.fill(0);
    if (groupStart.length === 2 && count > 0) {
      // A single type needs no grouping. An item with users always occurs in its own row, so the index is never -1.
      const own = found.subarray(0, count).indexOf(item);
      touched.set(found.subarray(0, own));
      touched.set(found.subarray(own + 1, count), own);
      groupStart[1] = count - 1;
      return;
    }
    for (let place = 0; place < count; place++) {
      const group = itemGroup[found[place] as number] as number;
      if (found[place] !== item) groupStart[group + 1] = (groupStart[group + 1] as number) + 1;
    }
    const groups = groupStart.length - 1;
    for (let group = 0; group < groups; group++) {
      groupStart[group + 1] = (groupStart[group + 1] as number) + (groupStart[group] as number);
    }
    // Filling a group moves its start to its end, so the loop below shifts all starts by one place.
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
    index.set(this.touched.subarray(start, start + count));
    if (kept < count) {
      this.tools.weighSums(index, count, this.sums, this.popularityWeight, this.key);
      this.tools.selectLargest(this.key, index, count, kept);
    }
    this.candidateCount[group] = kept;
  }
}
