import { degreePowers } from '../matrix/interactions.ts';
import { additionWork } from './work.ts';
import type { RowTools, SpreadSums, WeightedItems } from '../kernels/rowTools.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** Items that a history reaches through the users of its items. */
export interface Reached {
  /** The best unseen items, then other reached items that settings with all pairs or a ridge may compare. */
  items: Int32Array;
  /** `sum_i w_i P[i,j]` of these items, in which P is not normalised. */
  sums: Float64Array;
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
  private readonly inverseRoot: Float64Array;
  private readonly candidateWeight: Float64Array;
  private readonly history: WeightedItems;
  private readonly spread: SpreadSums;
  private readonly key: Float32Array;
  private readonly found: Int32Array;
  private readonly foundSums: Float64Array;

  constructor(tools: RowTools, interactions: Interactions, pu: number) {
    const { users, items, itemDegree } = interactions;
    this.interactions = interactions;
    this.tools = tools;
    this.userWeight = tools.place(Float32Array.from(degreePowers(interactions.userDegree, pu)));
    this.inverseRoot = degreePowers(itemDegree, -0.5);
    this.candidateWeight = degreePowers(itemDegree, candidatePower - 0.5);
    this.history = { items: tools.integers(items), weights: tools.floats(items), count: 0 };
    // One extra place each, because the kernel writes an entry before it checks whether the entry is new.
    this.spread = { userSums: tools.floats(users), users: tools.integers(users + 1), sums: tools.floats(items), found: tools.integers(items + 1) };
    this.foundSums = new Float64Array(items);
    this.key = tools.floats(items);
    this.found = tools.integers(items);
  }

  /**
   * Propagates a history.
   * @param items items of the history
   * @param weights weight of each of these items, 0 for an item that is left out
   * @param isSeen 1 for each item of the history
   * @param isCompared 1 for each item that settings with all pairs or a ridge may compare
   */
  of(items: Int32Array, weights: Float64Array, isSeen: Uint8Array, isCompared: Uint8Array): Reached {
    const { reached, additions } = this.add(items, weights);
    const { inverseRoot, found, foundSums } = this;
    const { sums, found: touched } = this.spread;
    const best = this.select(reached, isSeen);
    for (let at = 0; at < best; at++) {
      const item = found[at] as number;
      foundSums[at] = (sums[item] as number) * (inverseRoot[item] as number);
      sums[item] = 0;
    }
    let known = best;
    for (let at = 0; at < reached; at++) {
      const item = touched[at] as number;
      const sum = sums[item] as number;
      // Those of the best items are 0 by now.
      if (sum === 0) continue;
      sums[item] = 0;
      if (isCompared[item] === 0) continue;
      found[known] = item;
      foundSums[known++] = sum * (inverseRoot[item] as number);
    }
    return { best, items: found.slice(0, known), sums: foundSums.slice(0, known), work: additionWork(additions + 2 * reached) };
  }

  /** Adds the history to the sums of the users of its items, and these to the sums of their items. */
  private add(items: Int32Array, weights: Float64Array): { reached: number; additions: number } {
    const { interactions, history, spread } = this;
    const { audience, rows, userDegree } = interactions;
    history.items.set(items);
    history.weights.set(weights);
    history.count = items.length;
    const { users, items: reached } = this.tools.spreadHistory(history, audience, rows, this.userWeight, spread);
    let additions = users;
    for (let place = 0; place < users; place++) additions += userDegree[spread.users[place] as number] as number;
    return { reached, additions };
  }

  /** Moves the best unseen ones of the reached items to the front of `found`; returns their number. */
  private select(reached: number, isSeen: Uint8Array): number {
    const { key, found, candidateWeight, tools } = this;
    const { sums, found: touched } = this.spread;
    let count = 0;
    for (let at = 0; at < reached; at++) {
      const item = touched[at] as number;
      if (isSeen[item] === 1) continue;
      found[count] = item;
      key[count++] = (sums[item] as number) * (candidateWeight[item] as number);
    }
    const kept = Math.min(count, candidateLimit);
    if (kept < count) tools.selectLargest(key, found, count, kept);
    return kept;
  }
}
