import type { RowTools } from '../kernels/rowTools.ts';

/** Selects the best of a user's candidates without changing their order. */
export class BestCandidates {
  private readonly tools: RowTools;
  /** Values of the candidates that were selected last, in the same order. */
  readonly values: Float32Array;
  private readonly item: Int32Array;

  /** @param items upper limit of the number of candidates */
  constructor(tools: RowTools, items: number) {
    this.tools = tools;
    this.values = tools.floats(items);
    this.item = tools.integers(items);
  }

  /** The candidates with the largest values above 0, at most `limit`, largest first. */
  of(candidates: Int32Array, value: Float32Array, limit: number): Int32Array {
    const { tools, values: key, item } = this;
    const count = candidates.length;
    const kept = Math.min(limit, count);
    key.set(value);
    item.set(candidates);
    tools.selectLargest(key, item, count, kept);
    tools.sortLargestFirst(key, item, kept);
    let positive = 0;
    while (positive < kept && (key[positive] as number) > 0) positive++;
    return item.slice(0, positive);
  }

  /** The last value of these candidates, 0 if fewer than `limit` candidates have values above 0. */
  lastOf(candidates: Int32Array, value: Float32Array, limit: number): number {
    return this.of(candidates, value, limit).length < limit ? 0 : (this.values[limit - 1] as number);
  }
}
