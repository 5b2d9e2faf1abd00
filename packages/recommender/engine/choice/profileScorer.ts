import { findCompared, type ComparedItems } from '../neighbours/comparedItems.ts';
import { quantiseRows, type QuantisedRows } from '../kernels/quantisedRows.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import type { RowTools, WeightedItems } from '../kernels/rowTools.ts';
import { BestCandidates } from './bestCandidates.ts';
import { candidateLimit } from './historySpread.ts';
import { ContentTerms } from './contentTerms.ts';
import { ProfileParts } from './profileParts.ts';
import { matrixCandidates, MatrixSums } from './matrixSums.ts';
import { additionWork, comparedWork, keyWork, vectorWork } from './work.ts';
import type { ContentVectors } from '../neighbours/attributes/contentVectors.ts';
import type { Factors } from '../factors/factorise.ts';
import type { ItemMatrix } from '../ridge/ridgeMatrix.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { ProfilePart } from './profileMemory.ts';
import type { SummandTerms } from './summandLists.ts';
import type { ScoredSetting } from './scoredSetting.ts';

/** Items without common users that settings with all pairs compare; the first 20 places of lists need no more. */
const comparedLimit = 1024;
/** A regression and two variants of alternating least squares. */
const mostMatrices = 3;

/**
 * Scores a single user's items under any setting with one pu: `sum_i w_i M[i,:]` without computing M. The user's history is
 * propagated to the users of its items and back, so a setting costs milliseconds per user instead of a minute for a whole
 * operator. Rows are not cut to 200 entries here; all settings benefit equally from the longer rows.
 *
 * Candidates lie in three blocks: with all pairs, the compared items, always in the same order, so that their vectors and powers are read in a row;
 * items with common users; with a ridge, items of the regression. The counted work is that of lists that share nothing, so that a search
 * does not depend on what is in memory.
 */
export class ProfileScorer {
  /**
   * The user's candidates from the last call of `score`; only the first `count` entries are valid. `value` holds their
   * scores, 0 for items of the history.
   */
  readonly candidates: Int32Array;
  readonly value: Float32Array;
  count = 0;
  private readonly factors: Factors;
  private readonly tools: RowTools;
  private readonly vectorRows: QuantisedRows;
  private readonly queries: QuantisedRows;
  private readonly query: Float32Array;
  private readonly compared: ComparedItems;
  private readonly parts: ProfileParts;
  readonly bestCandidates: BestCandidates;
  /** Sums of the reached items; and arrays with one entry per item of the catalogue, 0 between calls. */
  private readonly isListed: Uint8Array;
  private readonly reached: WeightedItems;
  private readonly sumOf: Float32Array;
  /** Terms of the candidates. */
  private readonly spreadAt: Float32Array;
  private readonly high: Float32Array;
  private readonly low: Float32Array;
  private readonly column: Float32Array;
  private readonly root: Float32Array;
  private readonly matrixAt: readonly Float32Array[];
  private readonly contentAt: Float32Array;
  private part: ProfilePart | null = null;
  /** Number of compared items, and number of these that are items of the history. */
  private comparedCount = 0;
  private ownCount = 0;
  /** End of the second block. */
  private reachedEnd = 0;
  private highT = Number.NaN;
  private columnPb = Number.NaN;
  private hasLow = false;
  private readonly sumsOfMatrix = new WeakMap<ItemMatrix, MatrixSums>();
  private matrices: readonly (MatrixSums | null)[] = [];
  private content: ContentTerms | null = null;
  private sumsWork = 0;
  private work = 0;

  /**
   * @param factors factors of the same interactions and pu
   * @param itemGroup target type of each item
   */
  constructor(interactions: Interactions, factors: Factors, pu: number, itemGroup: Int32Array) {
    const { items } = interactions;
    this.factors = factors;
    const tools = createRowTools(interactions);
    this.tools = tools;
    this.vectorRows = quantiseRows(tools, tools.place(factors.vectors), factors.rank);
    this.queries = tools.quantised(1, factors.rank);
    this.query = tools.floats(factors.rank);
    const groups = itemGroup.reduce((most, group) => Math.max(most, group + 1), 0);
    this.compared = findCompared(tools, interactions, factors, itemGroup, groups, comparedLimit);
    this.parts = new ProfileParts(tools, interactions, factors, pu, this.compared);
    const most = candidateLimit + comparedLimit + mostMatrices * matrixCandidates;
    this.bestCandidates = new BestCandidates(tools, most);
    this.isListed = new Uint8Array(items);
    this.sumOf = tools.floats(items);
    this.reached = { items: tools.integers(items), weights: tools.floats(items), count: 0 };
    this.candidates = tools.integers(most);
    this.value = tools.floats(most);
    this.high = tools.floats(most);
    this.low = tools.floats(most);
    this.spreadAt = tools.floats(most);
    this.column = tools.floats(most);
    this.root = tools.floats(most);
    this.matrixAt = Array.from({ length: mostMatrices }, () => tools.floats(most));
    this.contentAt = tools.floats(most);
  }

  /** Sets the regression for settings with a ridge, and alternating least squares for settings with als; null for none. Scores have the first of two variants, terms have both. */
  useMatrices(ridge: ItemMatrix | null, ...als: readonly (ItemMatrix | null)[]): void {
    this.matrices = [ridge, ...als].map((matrix) => this.sumsOf(matrix));
    this.part = null;
  }

  /** Sets the metadata for settings with content; null for none. */
  useContent(vectors: ContentVectors | null): void {
    this.content = vectors === null ? null : new ContentTerms(vectors);
    this.part = null;
  }

  private sumsOf(matrix: ItemMatrix | null): MatrixSums | null {
    if (matrix === null) return null;
    const sums = this.sumsOfMatrix.get(matrix) ?? new MatrixSums(this.tools, matrix);
    this.sumsOfMatrix.set(matrix, sums);
    return sums;
  }

  /**
   * Sets the user.
   * @param key number of this history with these weights
   * @param items items of the user's history, which are never recommended
   * @param weights weight of each item
   * @param isLast whether the history is not asked for again, so that nothing needs to be kept
   */
  begin(key: number, items: Int32Array, weights: Float64Array, isLast = false): void {
    this.parts.begin(key, items, weights, isLast);
    this.part = null;
    this.content?.begin(items, weights);
    let products = 0;
    for (const sums of this.matrices) products += sums?.begin(key, items, weights, isLast) ?? 0;
    this.sumsWork = vectorWork(products);
  }

  /** Keeps nothing of the histories until now, so that there is room for others. */
  forget(): void {
    this.parts.memory.forget();
    for (const sums of this.matrices) sums?.forget();
  }

  /** Returns the work since the last call, and resets it to 0. */
  takeWork(): number {
    const { work } = this;
    this.work = 0;
    return work;
  }

  /** Scores the user's candidates. Consecutive settings with the same pairs, pa and T share most of the work. */
  score({ pa, pb, T, b, allPairs, ridge, als, content }: ScoredSetting): void {
    const part = this.part?.pa === pa && this.part.allPairs === allPairs ? this.part : this.gather(pa, allPairs);
    if (this.highT !== T) this.multiplyHigh(T, part);
    if (b !== 0 && !this.hasLow) this.multiplyLow(part);
    if (this.columnPb !== pb) {
      this.columnPb = pb;
      this.tools.tableAt(this.parts.power(pb + 0.5), this.candidates, this.count, this.column);
    }
    this.work += keyWork(this.count - this.ownCount);
    const { tools, high, low, value, count, spreadAt: spread, column, root } = this;
    tools.profileScores({ spread, high, column, low, root, normaliser: 1 / (this.factors.largestEigenvalue || 1), lowPass: b }, count, value);
    const [ridgeAt, alsAt] = this.matrixAt as [Float32Array, Float32Array];
    if (ridge !== 0) tools.addScaled(ridgeAt, ridge, count, value);
    if (als !== 0) tools.addScaled(alsAt, als, count, value);
    if (content !== 0) tools.addScaled(this.contentAt, content, count, value);
    this.clearOwn(value);
  }

  /** The candidates with the largest scores above 0, at most `limit`, largest first. */
  best(limit: number): Int32Array {
    return this.bestCandidates.of(this.candidates, this.value, this.count, limit);
  }

  /** The terms of the candidates; those of the regression, of least squares and of metadata are valid if they were set. */
  get terms(): SummandTerms & { content: Float32Array } {
    const valid = (terms: Float32Array): Float32Array => terms.subarray(0, this.count);
    const [ridge, ...als] = this.matrixAt.map(valid) as [Float32Array, ...Float32Array[]];
    return { candidates: this.candidates.subarray(0, this.count), operator: valid(this.value), ridge, als, content: valid(this.contentAt) };
  }

  /** Lists the candidates, with their terms that depend on pa. */
  private gather(pa: number, allPairs: boolean): ProfilePart {
    const part = this.parts.of(pa, allPairs);
    const { candidates, compared, root } = this;
    const { items, reached } = part;
    this.part = part;
    this.highT = Number.NaN;
    this.columnPb = Number.NaN;
    this.hasLow = false;
    this.work += reached.work + this.projectionWork();
    const first = allPairs ? compared.items.length : 0;
    this.comparedCount = first;
    if (allPairs) candidates.set(compared.items);
    candidates.set(items, first);
    this.reachedEnd = first + items.length;
    this.count = this.reachedEnd;
    this.ownCount = 0;
    if (allPairs) for (const item of this.parts.items) if ((compared.place[item] as number) >= 0) this.ownCount++;
    this.work += this.sumsWork;
    for (const sums of this.matrices) if (sums !== null) this.addMatrixCandidates(sums.best);
    this.reached.items.set(reached.items);
    this.reached.weights.set(reached.sums);
    this.reached.count = reached.items.length;
    this.tools.valuesAt(this.reached, this.sumOf, candidates, this.count, this.spreadAt);
    this.tools.tableAt(this.parts.power(0.5), candidates, this.count, root);
    for (let at = 0; at < this.matrices.length; at++) {
      const terms = this.matrixAt[at] as Float32Array;
      this.matrices[at]?.read(candidates, this.count, terms);
      this.clearOwn(terms);
    }
    this.work += this.content?.read(candidates, this.count, this.contentAt) ?? 0;
    this.clearOwn(this.contentAt);
    return part;
  }

  /** Adds the items that are neither items of the history nor candidates yet. */
  private addMatrixCandidates(items: Int32Array): void {
    const { candidates, isListed, count } = this;
    const { isSeen } = this.parts;
    for (let place = 0; place < count; place++) isListed[candidates[place] as number] = 1;
    for (const item of items) if (isSeen[item] === 0 && isListed[item] === 0) candidates[this.count++] = item;
    for (let place = 0; place < count; place++) isListed[candidates[place] as number] = 0;
  }

  /** Sets the terms of the history's items to 0. Of the candidates, only compared items can be items of the history. */
  private clearOwn(terms: Float32Array): void {
    const { compared: { place }, ownCount, parts } = this;
    if (ownCount > 0) for (const item of parts.items) if ((place[item] as number) >= 0) terms[place[item] as number] = 0;
  }

  /** Computes the damped spectral sums of the candidates. */
  private multiplyHigh(T: number, part: ProfilePart): void {
    const { factors, query, count, high, reachedEnd } = this;
    this.highT = T;
    // Without damping, all terms are 0.
    if (T === 0) {
      high.fill(0, 0, count);
      return;
    }
    for (let k = 0; k < factors.rank; k++) {
      const strength = factors.eigenvalues[k] as number;
      query[k] = (part.projection[k] as number) * strength * (Math.exp(-T * strength) - 1);
    }
    this.work += this.productWork();
    const known = part.high.find((product) => product.T === T);
    if (known === undefined) {
      this.multiplyCompared(query, high);
      this.multiplyListed(query, this.comparedCount, reachedEnd, high);
      this.parts.memory.keepHigh(part, T, high.subarray(0, reachedEnd));
    } else high.set(known.sums);
    this.multiplyListed(query, reachedEnd, count, high);
  }

  /** Computes the plain spectral sums of the candidates. */
  private multiplyLow(part: ProfilePart): void {
    const { low, comparedCount, count, parts, query, reachedEnd } = this;
    const { lowOfCompared } = parts.profile;
    this.hasLow = true;
    this.work += this.projectionWork() + this.productWork();
    query.set(parts.lowProjection(part.allPairs));
    if (part.low === null) {
      this.multiplyListed(query, comparedCount, reachedEnd, low);
      part.low = low.slice(comparedCount, reachedEnd);
    } else low.set(part.low, comparedCount);
    if (lowOfCompared === null) {
      this.multiplyCompared(query, low);
      if (comparedCount > 0) parts.memory.keepLow(parts.profile, low.subarray(0, comparedCount));
    } else if (comparedCount > 0) low.set(lowOfCompared);
    this.multiplyListed(query, reachedEnd, count, low);
  }

  /** Multiplies a vector with the vectors of the compared items. */
  private multiplyCompared(vector: Float32Array, out: Float32Array): void {
    if (this.comparedCount === 0) return;
    this.tools.quantise(vector, null, this.queries, 0);
    this.tools.dot(this.queries, this.compared.vectors, 0, this.comparedCount, [out]);
  }

  /** Multiplies a vector with the vectors of the candidates from `first` to `end`. */
  private multiplyListed(vector: Float32Array, first: number, end: number, out: Float32Array): void {
    if (first === end) return;
    this.tools.quantise(vector, null, this.queries, 0);
    this.tools.dot(this.queries, this.vectorRows, this.candidates.subarray(first), end - first, [out.subarray(first)]);
  }

  private projectionWork(): number {
    return additionWork(this.factors.rank * this.parts.items.length);
  }

  private productWork(): number {
    const products = this.factors.rank * (this.count - this.ownCount);
    return this.part?.allPairs === true ? comparedWork(products) : vectorWork(products);
  }
}
