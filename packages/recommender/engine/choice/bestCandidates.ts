import type { RowTools } from '../kernels/rowTools.ts';

/** Lists the best of a user's candidates. */
export class BestCandidates {
  readonly tools: RowTools;
  /** Values of the candidates that were listed last, in the same order. */
  readonly values: Float32Array;
  private readonly item: Int32Array;

  /** @param items upper limit of the number of candidates */
  constructor(tools: RowTools, items: number) {
    this.tools = tools;
    this.values = tools.floats(items);
    this.item = tools.integers(items);
  }

  /**
   * The candidates with the largest values above 0, at most `limit`, largest first.
   * @param candidates,value of the tools; the first `count` entries are valid
   */
  of(candidates: Int32Array, value: Float32Array, count: number, limit: number): Int32Array {
    const { tools, values, item } = this;
    return item.slice(0, tools.listLargest(value, candidates, count, Math.min(limit, count), values, item));
  }

  /** The last value of these candidates, 0 if fewer than `limit` candidates have values above 0. */
  lastOf(candidates: Int32Array, value: Float32Array, count: number, limit: number): number {
    const { tools, values, item } = this;
    return tools.listLargest(value, candidates, count, Math.min(limit, count), values, item) < limit ? 0 : (values[limit - 1] as number);
  }
}
