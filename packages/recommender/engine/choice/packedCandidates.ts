import { findCompared, type ComparedItems } from '../neighbours/comparedItems.ts';
import type { Factors } from '../factors/factorise.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** Items without common users that settings with all pairs compare; the first 20 places of lists need no more. */
export const comparedLimit = 1024;

/**
 * The items that settings with all pairs compare, and which of a user's candidates they are. Their vectors lie packed in half a megabyte, so that
 * products read them from the cache instead of from the vectors of the whole catalogue.
 */
export class PackedCandidates {
  /** First of these candidates, which are consecutive. */
  private start = 0;
  private count = 0;
  private compared: ComparedItems | null = null;
  private readonly tools: RowTools;
  private readonly index: Int32Array;
  private readonly find: () => ComparedItems;

  /** @param itemGroup target type of each item */
  constructor(tools: RowTools, interactions: Interactions, factors: Factors, itemGroup: Int32Array) {
    this.tools = tools;
    this.index = tools.integers(comparedLimit);
    const groups = itemGroup.reduce((most, group) => Math.max(most, group + 1), 0);
    this.find = () => findCompared(tools, interactions, factors, itemGroup, groups, comparedLimit);
  }

  /** The compared items; the first call finds them. */
  get items(): Int32Array {
    this.compared ??= this.find();
    return this.compared.items;
  }

  /** Sets which candidates are compared items. */
  set(candidates: Int32Array, start: number, end: number): void {
    this.start = start;
    this.count = end - start;
    for (let at = 0; at < this.count; at++) this.index[at] = this.compared?.place[candidates[start + at] as number] as number;
  }

  /** Computes the products of the first query with the vectors of `count` candidates. */
  dot(queries: QuantisedRows, rows: QuantisedRows, candidates: Int32Array, count: number, out: Float32Array): void {
    const { tools, start, compared, index } = this;
    tools.dot(queries, rows, candidates, start, [out]);
    if (compared !== null && this.count > 0) tools.dot(queries, compared.vectors, index, this.count, [out.subarray(start)]);
    const end = start + this.count;
    if (end < count) tools.dot(queries, rows, candidates.subarray(end), count - end, [out.subarray(end)]);
  }
}
