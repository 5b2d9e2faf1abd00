import { degreePowers } from '../matrix/interactions.ts';
import { regressionItems } from '../ridge/ridgeMatrix.ts';
import { candidateLimit, HistorySpread, type Reached } from './historySpread.ts';
import { ProfileMemory, type Profile, type ProfilePart } from './profileMemory.ts';
import type { RowTools, WeightedItems } from '../kernels/rowTools.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { ComparedItems } from '../neighbours/comparedItems.ts';

/** Without all pairs, the operator has no rows for items with a single user. */
const minUsers = 2;

/** Computes the terms of a user's history, or takes them from memory if they were computed before. */
export class ProfileParts {
  /** The history. */
  items: Int32Array = new Int32Array(0);
  /** 1 for each item of the history. */
  readonly isSeen: Int32Array;
  readonly memory = new ProfileMemory();
  profile: Profile = { parts: [], lowOfCompared: null };
  private readonly interactions: Interactions;
  private readonly tools: RowTools;
  private readonly vectors: Float32Array;
  private readonly listed: WeightedItems;
  private readonly projected: Float32Array;
  private readonly spread: HistorySpread;
  private readonly comparedPlace: Int32Array;
  private readonly isCompared: Int32Array;
  private readonly powers = new Map<number, Float32Array>();
  /** Items of the current part that are not compared. */
  private readonly others = new Int32Array(candidateLimit);
  private weights: Float64Array = new Float64Array(0);
  /** `sum_i w_i d_i^-1/2 V_i`, without all pairs and with all pairs. */
  private lowProjections: [Float32Array | null, Float32Array | null] = [null, null];

  /** @param compared the items that settings with all pairs compare */
  constructor(tools: RowTools, interactions: Interactions, factors: Factors, pu: number, compared: ComparedItems) {
    const { items, itemDegree } = interactions;
    this.interactions = interactions;
    this.tools = tools;
    this.vectors = tools.place(factors.vectors);
    this.listed = { items: tools.integers(items), weights: tools.floats(items), count: 0 };
    this.projected = tools.floats(factors.rank);
    this.spread = new HistorySpread(tools, interactions, pu);
    this.comparedPlace = compared.place;
    this.isSeen = tools.integers(items);
    this.isCompared = tools.integers(items);
    for (const item of compared.items) this.isCompared[item] = 1;
    for (const item of regressionItems(itemDegree)) this.isCompared[item] = 1;
  }

  /**
   * Sets the user.
   * @param key number of this history with these weights
   * @param items items of the user's history
   * @param weights weight of each item
   * @param isLast whether nothing of the history is needed again
   */
  begin(key: number, items: Int32Array, weights: Float64Array, isLast: boolean): void {
    for (const item of this.items) this.isSeen[item] = 0;
    for (const item of items) this.isSeen[item] = 1;
    this.items = items;
    this.weights = weights;
    this.profile = this.memory.of(key, isLast);
    this.lowProjections = [null, null];
  }

  /** The terms that depend on pa and on the pairs only; valid until the next call, unless they are kept. */
  of(pa: number, allPairs: boolean): ProfilePart {
    const known = this.profile.parts.find((part) => part.pa === pa && part.allPairs === allPairs);
    if (known !== undefined) return known;
    const reached = this.reachedWith(pa, allPairs);
    const best = reached.items.subarray(0, reached.best);
    const items = allPairs ? this.notCompared(best) : best;
    const part: ProfilePart = { pa, allPairs, items, reached, projection: this.project(pa + 0.5, allPairs), low: null, high: [] };
    this.memory.keep(this.profile, part);
    return part;
  }

  private notCompared(items: Int32Array): Int32Array {
    const { comparedPlace, others } = this;
    let count = 0;
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as number;
      if ((comparedPlace[item] as number) < 0) others[count++] = item;
    }
    return others.subarray(0, count);
  }

  /**
   * The items that the history reaches. Items with a single user, which count with all pairs only, lead to the user's own items, which are never listed, unless
   * the history is capped.
   */
  private reachedWith(pa: number, allPairs: boolean): Reached {
    const known = this.items.length > this.interactions.cap ? undefined : this.profile.parts.find((part) => part.pa === pa);
    return known?.reached ?? this.spread.of(this.items, this.weightsWith(pa, allPairs), this.isSeen, this.isCompared);
  }

  /** `sum_i w_i d_i^-1/2 V_i`. */
  lowProjection(allPairs: boolean): Float32Array {
    return (this.lowProjections[allPairs ? 1 : 0] ??= this.project(-0.5, allPairs));
  }

  /** `d_j^exponent`, computed once per exponent. */
  power(exponent: number): Float32Array {
    let powers = this.powers.get(exponent);
    if (powers === undefined) this.powers.set(exponent, (powers = this.tools.place(Float32Array.from(degreePowers(this.interactions.itemDegree, exponent)))));
    return powers;
  }

  /** `w_i d_i^exponent` of the history's items, 0 for items that have no row in the operator. */
  private weightsWith(exponent: number, allPairs: boolean): Float32Array {
    const { items, weights } = this;
    const { itemDegree } = this.interactions;
    const power = this.power(exponent);
    const least = allPairs ? 1 : minUsers;
    const out = new Float32Array(items.length);
    for (let place = 0; place < items.length; place++) {
      const item = items[place] as number;
      if ((itemDegree[item] as number) >= least) out[place] = (weights[place] as number) * (power[item] as number);
    }
    return out;
  }

  /** Computes `sum_i w_i d_i^exponent V_i`. */
  private project(exponent: number, allPairs: boolean): Float32Array {
    const { listed, projected, tools, items } = this;
    listed.items.set(items);
    listed.weights.set(this.weightsWith(exponent, allPairs));
    listed.count = items.length;
    projected.fill(0);
    tools.addRows(listed, this.vectors, projected);
    return projected.slice();
  }
}
