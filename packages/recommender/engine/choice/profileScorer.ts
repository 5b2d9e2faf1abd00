import { degreePowers } from '../matrix/interactions.ts';
import { quantiseRows, type QuantisedRows } from '../kernels/quantisedRows.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import { BestCandidates } from './bestCandidates.ts';
import { comparedLimit, PackedCandidates } from './packedCandidates.ts';
import { ridgeCandidates, RidgeSums } from './ridgeSums.ts';
import { additionWork, comparedWork, keyWork, vectorWork } from './work.ts';
import type { Factors } from '../factors/factorise.ts';
import type { RidgeMatrix } from '../ridge/ridgeMatrix.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * Items per user for which spectral terms are computed: the best items without these terms. The compared lists have 20 items.
 */
const candidateLimit = 600;
/** Popularity exponent for selecting the candidates: the middle of the exponents in the grid. */
const candidatePower = 0.3;
/** Without all pairs, the operator has no rows for items with a single user. */
const minUsers = 2;

/**
 * Scores a single user's items under any setting with one pu: `sum_i w_i M[i,:]` without computing M. The user's history is
 * propagated to the users of its items and back, so a setting costs milliseconds per user instead of a minute for a whole
 * operator. Rows are not cut to 200 entries here; all settings benefit equally from the longer rows.
 */
export class ProfileScorer {
  /**
   * The user's candidates from the last call of `score`; only the first `count` entries are valid. `value` holds their
   * scores.
   */
  readonly candidates: Int32Array;
  readonly value: Float32Array;
  count = 0;
  private readonly interactions: Interactions;
  private readonly factors: Factors;
  private readonly tools: RowTools;
  private readonly vectorRows: QuantisedRows;
  private readonly queries: QuantisedRows;
  private readonly userWeight: Float64Array;
  private readonly inverseRoot: Float64Array;
  private readonly candidateWeight: Float64Array;
  private readonly powers = new Map<number, Float64Array>();
  private readonly userSums: Float64Array;
  private readonly touchedUsers: Int32Array;
  private readonly sums: Float64Array;
  private readonly touched: Int32Array;
  private readonly spreadAt: Float64Array;
  /**
   * Weighted sums of the history's vectors for the damped term and for the low-pass term; settings with the same pa share the
   * sums.
   */
  private readonly projection: Float64Array;
  private readonly lowProjection: Float64Array;
  private readonly damped: Float32Array;
  private readonly plain: Float32Array;
  private readonly high: Float32Array;
  private readonly low: Float32Array;
  private items: Int32Array = new Int32Array(0);
  private weights: Float64Array = new Float64Array(0);
  private spreadPa = Number.NaN;
  private spreadPairs = false;
  private highT = Number.NaN;
  private readonly packed: PackedCandidates;
  /** Whether `low` holds the low-pass terms of the current candidates. */
  private hasLow = false;
  private readonly isSeen: Uint8Array;
  private ridge: RidgeSums | null = null;
  private readonly bestCandidates: BestCandidates;
  private work = 0;

  /**
   * @param factors factors of the same interactions and pu
   * @param itemGroup target type of each item
   */
  constructor(interactions: Interactions, factors: Factors, pu: number, itemGroup: Int32Array) {
    const { users, items, itemDegree } = interactions;
    this.interactions = interactions;
    this.factors = factors;
    this.userWeight = degreePowers(interactions.userDegree, pu);
    this.inverseRoot = degreePowers(itemDegree, -0.5);
    this.candidateWeight = degreePowers(itemDegree, candidatePower - 0.5);
    this.userSums = new Float64Array(users);
    this.touchedUsers = new Int32Array(users);
    this.sums = new Float64Array(items);
    this.touched = new Int32Array(items);
    const tools = createRowTools(interactions);
    this.tools = tools;
    this.vectorRows = quantiseRows(tools, tools.place(factors.vectors), factors.rank);
    this.queries = tools.quantised(2, factors.rank);
    this.candidates = tools.integers(items);
    this.value = tools.floats(items);
    const most = candidateLimit + comparedLimit + ridgeCandidates;
    this.spreadAt = new Float64Array(most);
    this.projection = new Float64Array(factors.rank);
    this.lowProjection = new Float64Array(factors.rank);
    this.damped = tools.floats(factors.rank);
    this.plain = tools.floats(factors.rank);
    this.high = tools.floats(most);
    this.low = tools.floats(most);
    this.isSeen = new Uint8Array(items);
    this.packed = new PackedCandidates(tools, interactions, factors, itemGroup);
    this.bestCandidates = new BestCandidates(tools, items);
  }

  /** Sets the regression for settings with a ridge; null for none. */
  useRidge(ridge: RidgeMatrix | null): void {
    this.ridge = ridge === null ? null : new RidgeSums(ridge);
    this.spreadPa = Number.NaN;
  }

  /**
   * Sets the user.
   * @param items items of the user's history, which are never candidates
   * @param weights weight of each item
   */
  begin(items: Int32Array, weights: Float64Array): void {
    for (const item of this.items) this.isSeen[item] = 0;
    for (const item of items) this.isSeen[item] = 1;
    this.items = items;
    this.weights = weights;
    this.spreadPa = Number.NaN;
  }

  /** Returns the work since the last call, and resets it to 0. */
  takeWork(): number {
    const { work } = this;
    this.work = 0;
    return work;
  }

  /** Scores the user's candidates. Consecutive settings with the same pairs, pa and T share most of the work. */
  score(setting: OperatorSetting): void {
    const { pa, T, b, allPairs = false } = setting;
    if (this.spreadPa !== pa || this.spreadPairs !== allPairs) this.spread(pa, allPairs);
    if (this.highT !== T) this.multiplyHigh(T);
    if (b !== 0 && !this.hasLow) this.multiplyLow();
    this.work += keyWork(this.count);
    const { high, low, candidates, value, count } = this;
    const column = this.power(setting.pb + 0.5);
    const root = this.power(0.5);
    const { ridge = 0 } = setting;
    for (let place = 0; place < count; place++) {
      const item = candidates[place] as number;
      const neighbours = (this.spreadAt[place] as number) + (high[place] as number);
      value[place] = neighbours * (column[item] as number) + setting.b * (low[place] as number) * (root[item] as number);
      if (ridge !== 0) value[place] = (value[place] as number) + ridge * this.ridgeSum(item);
    }
  }

  /** The candidates with the largest scores above 0, at most `limit`, largest first. */
  best(limit: number): Int32Array {
    return this.bestCandidates.of(this.candidates.subarray(0, this.count), this.value.subarray(0, this.count), limit);
  }

  /** Sum of the history's regression weights for an item; 0 for an item outside the regression. */
  ridgeSum(item: number): number {
    return this.ridge?.of(item) ?? 0;
  }

  /** Computes the damped spectral sums of the candidates. */
  private multiplyHigh(T: number): void {
    const { factors, projection, damped, queries } = this;
    this.highT = T;
    // Without damping, all terms are 0.
    if (T === 0) {
      this.high.fill(0, 0, this.count);
      return;
    }
    for (let k = 0; k < factors.rank; k++) {
      const strength = factors.eigenvalues[k] as number;
      damped[k] = (projection[k] as number) * strength * (Math.exp(-T * strength) - 1);
    }
    this.tools.quantise(damped, null, queries, 0);
    this.dotCandidates(this.high);
  }

  /** Computes the plain sums of the candidates. */
  private multiplyLow(): void {
    this.project(-0.5, this.lowProjection);
    this.plain.set(this.lowProjection);
    this.tools.quantise(this.plain, null, this.queries, 0);
    this.dotCandidates(this.low);
    this.hasLow = true;
  }

  /** Computes the products of the first query with the vectors of the candidates. */
  private dotCandidates(out: Float32Array): void {
    const { queries, vectorRows, candidates, count, packed } = this;
    packed.dot(queries, vectorRows, candidates, count, out);
    this.work += this.spreadPairs ? comparedWork(this.factors.rank * count) : vectorWork(this.factors.rank * count);
  }

  /** Selects the candidates and computes `spreadAt = sum_i w_i d_i^(pa+1/2) P[i,j]` for them. */
  private spread(pa: number, allPairs: boolean): void {
    this.spreadPa = pa;
    this.spreadPairs = allPairs;
    this.highT = Number.NaN;
    this.hasLow = false;
    const touchedUsers = this.addUsers(this.power(pa));
    const { rows } = this.interactions;
    const { sums, touched, userSums, candidates, value, isSeen } = this;
    let reached = 0;
    let additions = touchedUsers;
    for (let place = 0; place < touchedUsers; place++) {
      const user = this.touchedUsers[place] as number;
      const weight = (userSums[user] as number) * (this.userWeight[user] as number);
      userSums[user] = 0;
      const end = rows.pointer[user + 1] as number;
      additions += end - (rows.pointer[user] as number);
      for (let entry = rows.pointer[user] as number; entry < end; entry++) {
        const item = rows.index[entry] as number;
        const before = sums[item] as number;
        if (before === 0) touched[reached++] = item;
        sums[item] = before + weight;
      }
    }
    this.work += additionWork(additions + 2 * reached);
    let count = 0;
    for (let place = 0; place < reached; place++) {
      const item = touched[place] as number;
      if (isSeen[item] === 1) continue;
      candidates[count] = item;
      value[count++] = (sums[item] as number) * (this.candidateWeight[item] as number);
    }
    this.count = Math.min(count, candidateLimit);
    if (this.count < count) this.tools.selectLargest(value, candidates, count, this.count);
    const known = this.count;
    if (allPairs) this.addCandidates(this.packed.items);
    this.packed.set(candidates, known, this.count);
    if (this.ridge !== null) {
      this.work += vectorWork(this.ridge.begin(this.items, this.weights));
      this.addCandidates(this.ridge.best());
    }
    const normaliser = 1 / (this.factors.largestEigenvalue || 1);
    for (let place = 0; place < this.count; place++) {
      const item = candidates[place] as number;
      this.spreadAt[place] = (sums[item] as number) * (this.inverseRoot[item] as number) * normaliser;
    }
    for (let place = 0; place < reached; place++) sums[touched[place] as number] = 0;
    this.project(pa + 0.5, this.projection);
  }

  /** Adds the items that are neither seen nor candidates yet. */
  private addCandidates(items: Int32Array): void {
    const { candidates, isSeen } = this;
    for (let place = 0; place < this.count; place++) isSeen[candidates[place] as number] = 2;
    const known = this.count;
    for (const item of items) if (isSeen[item] === 0) candidates[this.count++] = item;
    for (let place = 0; place < known; place++) isSeen[candidates[place] as number] = 0;
  }

  /**
   * Adds the weighted history to the sums of the users of its items.
   * @returns number of users reached
   */
  private addUsers(rowPower: Float64Array): number {
    const { audience, itemDegree } = this.interactions;
    const { userSums, touchedUsers } = this;
    let count = 0;
    this.items.forEach((item, place) => {
      if ((itemDegree[item] as number) < this.leastUsers) return;
      const weight = (this.weights[place] as number) * (rowPower[item] as number);
      const end = audience.pointer[item + 1] as number;
      for (let at = audience.pointer[item] as number; at < end; at++) {
        const user = audience.index[at] as number;
        const before = userSums[user] as number;
        if (before === 0) touchedUsers[count++] = user;
        userSums[user] = before + weight;
      }
    });
    return count;
  }

  /** Computes `projection = sum_i w_i d_i^exponent V_i`. */
  private project(exponent: number, projection: Float64Array): void {
    const { rank, vectors } = this.factors;
    this.work += additionWork(rank * this.items.length);
    const power = this.power(exponent);
    projection.fill(0);
    this.items.forEach((item, place) => {
      if ((this.interactions.itemDegree[item] as number) < this.leastUsers) return;
      const weight = (this.weights[place] as number) * (power[item] as number);
      const base = item * rank;
      for (let k = 0; k < rank; k++) projection[k] = (projection[k] as number) + weight * (vectors[base + k] as number);
    });
  }

  private get leastUsers(): number {
    return this.spreadPairs ? 1 : minUsers;
  }

  /** `d_j^exponent`, computed once per exponent. */
  private power(exponent: number): Float64Array {
    let powers = this.powers.get(exponent);
    if (powers === undefined) this.powers.set(exponent, (powers = degreePowers(this.interactions.itemDegree, exponent)));
    return powers;
  }
}
