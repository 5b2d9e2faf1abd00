import { degreePowers } from '../matrix/interactions.ts';
import { additionWork } from './work.ts';
import type { RowTools, SpreadSums, TouchedItems, WeightedItems } from '../kernels/rowTools.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** Items that a history reaches through the users of its items. */
export interface Reached {
  /** The best unseen items, then other reached items that settings with all pairs or a ridge may compare. */
  items: Int32Array;
  /** `sum_i w_i P[i,j]` of these items, in which P is not normalised. */
  sums: Float32Array;
  /** Number of the best items. */
  best: number;
  work: number;
}

/** Maximum number of items with common users: the best ones without spectral terms. The compared lists have 20 items. */
export const candidateLimit = 600;
/** Popularity exponent for selecting the candidates: the middle of the exponents in the grid. */
const candidatePower = 0.3;

/** Propagates histories to the users of their items and to the items of these users. */
export class HistorySpread {
  private readonly interactions: Interactions;
  private readonly tools: RowTools;
  private readonly userWeight: Float32Array;
  private readonly inverseRoot: Float32Array;
  private readonly candidateWeight: Float32Array;
  private readonly history: WeightedItems;
  private readonly spread: SpreadSums;
  private readonly key: Float32Array;
  private readonly found: Int32Array;
  private readonly foundSums: Float32Array;

  constructor(tools: RowTools, interactions: Interactions, pu: number) {
    const { users, items, itemDegree } = interactions;
    this.interactions = interactions;
    this.tools = tools;
    this.userWeight = tools.place(Float32Array.from(degreePowers(interactions.userDegree, pu)));
    this.inverseRoot = tools.place(Float32Array.from(degreePowers(itemDegree, -0.5)));
    this.candidateWeight = tools.place(Float32Array.from(degreePowers(itemDegree, candidatePower - 0.5)));
    this.history = { items: tools.integers(items), weights: tools.floats(items), count: 0 };
    // One extra place each, because the kernels write an entry before they check whether the entry is wanted.
    this.spread = { userSums: tools.floats(users), users: tools.integers(users + 1), sums: tools.floats(items), found: tools.integers(items + 1) };
    this.foundSums = tools.floats(items + 1);
    this.key = tools.floats(items + 1);
    this.found = tools.integers(items + 1);
  }

  /**
   * Propagates a history. The result is valid until the next call.
   * @param items items of the history
   * @param weights weight of each of these items, 0 for an item that is left out
   * @param isSeen 1 for each item of the history
   * @param isCompared 1 for each item that settings with all pairs or a ridge may compare
   */
  of(items: Int32Array, weights: Float32Array, isSeen: Int32Array, isCompared: Int32Array): Reached {
    const { reached, additions } = this.add(items, weights);
    const { inverseRoot, found, foundSums, spread, tools } = this;
    const touched = { items: spread.found, count: reached, sums: spread.sums };
    const best = this.select({ ...touched, marked: isSeen });
    const known = tools.takeSums(found, best, { ...touched, marked: isCompared }, inverseRoot, foundSums);
    return { best, items: found.subarray(0, known), sums: foundSums.subarray(0, known), work: additionWork(additions + 2 * reached) };
  }

  /** Adds the history to the sums of the users of its items, and these to the sums of their items. */
  private add(items: Int32Array, weights: Float32Array): { reached: number; additions: number } {
    const { interactions, history, spread } = this;
    history.items.set(items);
    history.weights.set(weights);
    history.count = items.length;
    const { items: reached, additions } = this.tools.spreadHistory(history, interactions.audience, interactions.rows, this.userWeight, spread);
    return { reached, additions };
  }

  /** Moves the best unseen ones of the reached items to the front of `found`; returns their number. */
  private select(touched: TouchedItems): number {
    const { key, found, candidateWeight, tools } = this;
    const count = tools.unmarkedKeys(touched, candidateWeight, found, key);
    const kept = Math.min(count, candidateLimit);
    tools.selectLargest(key, found, count, kept);
    return kept;
  }
}
