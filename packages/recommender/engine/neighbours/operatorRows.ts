import { degreePowers } from '../matrix/interactions.ts';
import { quantiseRows, type QuantisedRows } from '../kernels/quantisedRows.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import type { OperatorTerms, RowTools } from '../kernels/rowTools.ts';
import { ContentEntries } from './contentEntries.ts';
import { PairScores } from '../scores/pairScores.ts';
import { operatorLimit, ridgedLimit } from './operatorLimit.ts';
import { RidgedEntries } from './ridgedEntries.ts';
import { cosineMark } from './relatedLists.ts';
import { RowProducts } from './rowProducts.ts';
import type { ContentVectors } from './attributes/contentVectors.ts';
import type { ListRows } from '../lists/listRows.ts';
import type { ComparedItems } from './comparedItems.ts';
import type { ItemMatrix } from '../ridge/ridgeMatrix.ts';
import type { CandidateRow } from './candidateRow.ts';
import type { RelatedParts } from './relatedParts.ts';
import type { RowVisitor } from './visitRows.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * Without a search over all pairs, an item with a single user has no useful row: all its neighbours are items that this user
 * has already seen.
 */
const minUsers = 2;

/**
 * The user operator: `M[i,j] = d_i^(pa+1/2) (P[i,j] + sum_k V[k,i] g_k V[k,j]) d_j^(pb+1/2) + b d_i^-1/2 (sum_k V[k,i]
 * V[k,j]) d_j^1/2` with `g_k = s_k (exp(-T s_k) - 1)`. The exponential damps the strongest directions (a heat filter, as in
 * BSPM, Choi et al. 2023); with T below 0, the exponential raises the strongest directions, as sparse data needs. The b term
 * is the ideal low-pass filter of GF-CF (Shen et al. 2021). The spectral terms are computed for the candidates only: the items
 * with the most common users, and for all pairs also the compared items, which need no common user. A setting with a ridge
 * adds the weights of a regression between the most used items, and a setting with content the cosines of metadata: rows remain lists of summands.
 */
export class OperatorRows implements RowVisitor {
  /**
   * `sum_k V[i,k] s_k V[j,k]` of the last row's candidates j, at their places in `row.candidates`; null if no related rows
   * are computed. These sums add little work, because the other sums read the same rows of V.
   */
  readonly strongSum: Float32Array | null;
  private readonly tools: RowTools;
  private readonly interactions: Interactions;
  private readonly factors: Factors;
  private readonly b: number;
  private readonly rowPower: Float64Array;
  private readonly terms: OperatorTerms;
  private readonly vectors: Float32Array;
  private readonly vectorRows: QuantisedRows;
  /**
   * Spectral terms of the setting: the item's row of V multiplied by `weight` is a row of `queries`, and its products go to `out`. A term that
   * is 0 for all pairs is left out: the damped term if T is 0, the plain term if b is 0.
   */
  private readonly spectral: readonly { weight: Float32Array | null; out: Float32Array }[];
  /** One row per spectral term, and the item's row of V multiplied by the eigenvalues. */
  private readonly queries: QuantisedRows;
  private readonly eigenvalues: Float32Array;
  private readonly key: Float32Array;
  private readonly chosen: Int32Array;
  private readonly lists: ListRows;
  private readonly limit: number;
  private readonly scores: PairScores;
  private readonly compared: ComparedItems | null;
  /** `columnPower` and `root` of the compared items, in their order. */
  private readonly comparedTerms: { columnPower: Float32Array; root: Float32Array };
  /** Spectral terms of items with all compared items. */
  private readonly products: RowProducts | null;
  private readonly strongQuery: QuantisedRows | null;
  /** Embeddings for the scores of pairs without common users, the row's embedding, and its products. */
  private readonly near: { parts: RelatedParts; query: QuantisedRows; dots: Float32Array; apart: Int32Array } | null;
  private readonly ridged: RidgedEntries | null;
  private readonly content: ContentEntries | null;

  /**
   * @param lists receives the rows
   * @param parts parts of the related rows that are computed after each operator row; null for none
   * @param compared items compared with each row's item, for a setting with all pairs; null for candidates with common users
   * @param ridge weighted regression of a setting with a ridge or als, otherwise null
   * @param vectors metadata of the items, for a setting with content, otherwise null
   */
  constructor(
    interactions: Interactions, factors: Factors, setting: OperatorSetting, lists: ListRows, parts: RelatedParts | null = null,
    compared: ComparedItems | null = null, ridge: ItemMatrix | null = null, vectors: ContentVectors | null = null,
  ) {
    this.interactions = interactions;
    this.compared = compared;
    this.factors = factors;
    this.b = setting.b;
    this.rowPower = degreePowers(interactions.itemDegree, setting.pa + 0.5);
    const { items } = interactions;
    const tools = createRowTools(interactions);
    this.tools = tools;
    this.vectors = tools.place(factors.vectors);
    this.vectorRows = parts?.vectorRows ?? quantiseRows(tools, this.vectors, factors.rank);
    this.queries = tools.quantised(3, factors.rank);
    this.eigenvalues = tools.place(Float32Array.from(factors.eigenvalues));
    this.strongSum = parts !== null && parts.embedding === null ? tools.floats(items) : null;
    const ofDegree = (exponent: number): Float32Array => tools.place(Float32Array.from(degreePowers(interactions.itemDegree, exponent)));
    this.strongQuery = this.strongSum === null || compared === null ? null : tools.quantised(1, factors.rank);
    this.terms = {
      damped: tools.floats(items),
      plain: tools.floats(items),
      inverseRoot: ofDegree(-0.5),
      columnPower: ofDegree(setting.pb + 0.5),
      root: ofDegree(0.5),
      normaliser: 0,
      rowPower: 0,
      lowPass: 0,
    };
    const damping = tools.place(Float32Array.from(factors.eigenvalues, (s) => s * (Math.exp(-setting.T * s) - 1)));
    this.spectral = [
      ...(setting.T === 0 ? [] : [{ weight: damping, out: this.terms.damped }]),
      ...(setting.b === 0 ? [] : [{ weight: null, out: this.terms.plain }]),
    ];
    this.products = compared === null || this.spectral.length === 0 ? null : new RowProducts(
      tools, compared.vectors, factors.rank, this.spectral.length, (item, term, queries, row) => this.quantiseTerm(item, term, queries, row),
    );
    this.key = tools.floats(items);
    this.chosen = tools.integers(items);
    this.lists = lists;
    this.limit = operatorLimit(items);
    this.content = vectors === null ? null : new ContentEntries(vectors, setting.content ?? 0);
    this.ridged = ridge === null ? null : new RidgedEntries(tools, items, ridge);
    const most = ridge === null ? this.limit : Math.max(this.limit, ridgedLimit);
    this.near = parts === null || compared === null ? null : {
      parts, query: tools.quantised(1, factors.rank), dots: tools.floats(most), apart: tools.integers(most),
    };
    const ofCompared = (terms: Float32Array): Float32Array => tools.place(Float32Array.from(compared?.items ?? [], (item) => terms[item] as number));
    this.comparedTerms = { columnPower: ofCompared(this.terms.columnPower), root: ofCompared(this.terms.root) };
    this.scores = new PairScores(interactions.itemDegree, interactions.users);
  }

  /** Whether an item has enough users for a row. */
  hasRow(item: number): boolean {
    return (this.interactions.itemDegree[item] as number) >= (this.compared === null ? minUsers : 1);
  }

  expect(items: readonly number[]): void {
    this.products?.compute(items.filter((item) => this.hasRow(item)));
  }

  addRow(item: number, row: CandidateRow): void {
    if (this.hasRow(item)) {
      const { tools, queries, spectral } = this;
      const { rank, largestEigenvalue } = this.factors;
      const inverseRoot = this.terms.inverseRoot[item] as number;
      this.terms.normaliser = inverseRoot / largestEigenvalue;
      this.terms.rowPower = this.rowPower[item] as number;
      this.terms.lowPass = this.b * inverseRoot;
      const vector = this.vectors.subarray(item * rank, (item + 1) * rank);
      for (let term = 0; term < spectral.length; term++) this.quantiseTerm(item, term, queries, term);
      if (this.strongSum !== null) tools.quantise(vector, this.eigenvalues, queries, spectral.length);
      if (this.strongQuery !== null) tools.quantise(vector, this.eigenvalues, this.strongQuery, 0);
      for (let group = 0; group < row.candidateCount.length; group++) this.addGroup(item, row, group);
      this.lists.end(item);
    }
  }

  private quantiseTerm(item: number, term: number, queries: QuantisedRows, row: number): void {
    const { rank } = this.factors;
    this.tools.quantise(this.vectors.subarray(item * rank, (item + 1) * rank), this.spectral[term]?.weight ?? null, queries, row);
  }

  private addGroup(item: number, row: CandidateRow, group: number): void {
    const { chosen, key, tools, compared } = this;
    const count = compared === null ? this.addCandidates(row, group) : this.addCompared(item, row, group, compared);
    if (count === 0) return;
    this.content?.add(item, this.key, chosen, count);
    const kept = this.select(item, count);
    tools.sortLargestFirst(key, chosen, kept);
    const { lists, scores } = this;
    const { sums } = row;
    // A compared item without a positive value has nothing in common with the row's item, unless the regression speaks against it. Then no list shows its score.
    const shown = compared === null ? kept : countAbove(key, kept);
    const near = this.multiplyNear(item, shown, sums);
    let apart = 0;
    for (let place = 0; place < shown; place++) {
      const other = chosen[place] as number;
      const common = sums[2 * other + 1] as number;
      const score = common === 0 && near !== null ? this.markOf(item, other, near[apart++] as number) : scores.of(common, item, other);
      lists.add(other, key[place] as number, score);
    }
    if (this.ridged?.has(item) !== true) return;
    for (let place = shown; place < kept; place++) if (key[place] !== 0) lists.add(chosen[place] as number, key[place] as number);
  }

  /**
   * Moves the entries that the row keeps to the front, unordered.
   * @returns number of entries kept
   */
  private select(item: number, count: number): number {
    const { chosen, key, ridged } = this;
    if (ridged?.has(item) === true) return ridged.select(item, key, chosen, count);
    const kept = Math.min(count, this.limit);
    this.tools.selectLargest(key, chosen, count, kept);
    return kept;
  }

  /**
   * Computes the products of the item's embedding with those of the items without common users among the first `kept` chosen ones, in their
   * order; null without embeddings.
   */
  private multiplyNear(item: number, kept: number, sums: Float32Array): Float32Array | null {
    if (this.near === null) return null;
    const { parts, query, dots, apart } = this.near;
    const { embedding, embeddingRows, vectorRows, factors } = parts;
    let count = 0;
    for (let place = 0; place < kept; place++) {
      const other = this.chosen[place] as number;
      if (sums[2 * other + 1] === 0) apart[count++] = other;
    }
    // Without content, the embedding is V sqrt(s), so its products are sums over V with the eigenvalues.
    const vector = (embedding ?? factors.vectors).subarray(item * factors.rank, (item + 1) * factors.rank);
    this.tools.quantise(vector, embedding === null ? this.eigenvalues : null, query, 0);
    const rows = embeddingRows ?? this.packed(apart, count) ?? vectorRows;
    this.tools.dot(query, rows, apart, count, [dots]);
    return dots;
  }

  /** Replaces items by their places among the compared vectors, which are closer together in memory; null if an item has none. */
  private packed(index: Int32Array, count: number): QuantisedRows | null {
    if (this.compared === null) return null;
    const { place, vectors } = this.compared;
    for (let at = 0; at < count; at++) if ((place[index[at] as number] as number) < 0) return null;
    for (let at = 0; at < count; at++) index[at] = place[index[at] as number] as number;
    return vectors;
  }

  /** The mark of a pair without common users, whose score follows from the cosine of the embeddings. */
  private markOf(item: number, other: number, product: number): number {
    const norms = this.near?.parts.norms;
    const length = (norms?.[item] ?? 0) * (norms?.[other] ?? 0);
    return cosineMark - (length === 0 ? 0 : Math.max(-1, Math.min(1, product / length)));
  }

  /**
   * Writes the row's candidates to `chosen` and their keys to `key`.
   * @returns number of candidates
   */
  private addCandidates(row: CandidateRow, group: number): number {
    const { chosen, key, terms, tools } = this;
    const count = row.candidateCount[group] as number;
    if (count === 0) return 0;
    const start = row.groupStart[group] as number;
    chosen.set(row.candidates.subarray(start, start + count));
    const strong = this.strongSum === null ? [] : [this.strongSum.subarray(start, start + count)];
    this.multiply(this.vectorRows, chosen, count, [...this.spectralOuts(), ...strong]);
    tools.operatorKeys(chosen, count, row.sums, terms, key);
    return count;
  }

  /**
   * Writes the compared items and the row's other candidates to `chosen`, and their keys to `key`.
   * @returns number of items written, without the row's own item
   */
  private addCompared(item: number, row: CandidateRow, group: number, { items, start, place }: ComparedItems): number {
    const { chosen, key, terms, tools, vectorRows, products } = this;
    const first = start[group] as number;
    let count = (start[group + 1] as number) - first;
    chosen.set(items.subarray(first, first + count));
    if (products !== null) this.spectral.forEach(({ out }, term) => out.set(products.of(item, term).subarray(first, first + count)));
    const from = row.groupStart[group] as number;
    const touched = row.touched.subarray(from, row.groupStart[group + 1]);
    const columnPower = this.comparedTerms.columnPower.subarray(first);
    tools.comparedKeys({ place, first, count, columnPower, root: this.comparedTerms.root.subarray(first) }, touched, touched.length, row.sums, terms, key);
    const own = (place[item] as number) - first;
    if (own >= 0 && own < count) {
      count--;
      chosen[own] = chosen[count] as number;
      key[own] = key[count] as number;
    }
    const candidates = row.candidates.subarray(from, from + (row.candidateCount[group] as number));
    let all = count;
    for (const other of candidates) if ((place[other] as number) < 0) chosen[all++] = other;
    const others = chosen.subarray(count, all);
    this.multiply(vectorRows, others, others.length, this.spectralOuts());
    tools.operatorKeys(others, others.length, row.sums, terms, key.subarray(count));
    if (this.strongQuery !== null && this.strongSum !== null && candidates.length > 0) {
      tools.dot(this.strongQuery, vectorRows, candidates, candidates.length, [this.strongSum.subarray(from)]);
    }
    return all;
  }

  private spectralOuts(): Float32Array[] {
    return this.spectral.map(({ out }) => out);
  }

  /** Computes the products of the first queries, one per entry of `outs`, with `count` rows. */
  private multiply(rows: QuantisedRows, index: Int32Array | number, count: number, [first, second, third]: Float32Array[]): void {
    if (count > 0 && first !== undefined) this.tools.dot(this.queries, rows, index, count, [first, second, third]);
  }
}

/** Number of the first `count` falling keys that are above 0. */
function countAbove(key: Float32Array, count: number): number {
  let above = 0;
  while (above < count && (key[above] as number) > 0) above++;
  return above;
}
