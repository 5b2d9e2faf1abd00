import { createRowTools } from '../kernels/createRowTools.ts';
import type { RelatedTerms, RowTools } from '../kernels/rowTools.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import { degreePowers } from '../matrix/interactions.ts';
import { CategoryFactor } from './categoryFactor.ts';
import { ContentIndex } from './contentIndex.ts';
import { NearestIndex } from './nearestIndex.ts';
import { popularityExponent } from './boundCandidates.ts';
import { estimateWeight, npmiWeight, relatedFormula } from './relatedFormula.ts';
import { PredictedTerms } from './predictedTerms.ts';
import { ScoreSums } from './scoreSums.ts';
import { PairScores } from '../scores/pairScores.ts';
import type { CandidateRow } from './candidateRow.ts';
import type { OperatorRows } from './operatorRows.ts';
import { contentMark, cosineMark, relatedLimit, valueMark, type RelatedLists } from './relatedLists.ts';
import type { RelatedParts } from './relatedParts.ts';
import type { RowVisitor } from './visitRows.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** The parts of a row that an order is computed from. */
type Candidates = Pick<CandidateRow, 'sums' | 'groupStart' | 'candidates' | 'candidateCount'>;

/**
 * Items taken from the nearest-embedding search. More than the 100 that are kept, because the search compares only 64
 * directions.
 */
const nearestLimit = 150;
/**
 * Items that get the factor of shared categories: twice the number that is kept. Of all candidates, the factor would select items
 * that share little else.
 */
const categorised = 2 * relatedLimit;

/**
 * Related items, with the same ranking value for warm and cold items: `rel = .7 information + .15 P[i,j] d_j^0.3 / (its maximum
 * over j) + .15 cos(e_i, e_j)`, over the row's candidates and the items with the nearest embeddings. The information is the
 * shrunk NPMI of `pairScore`; of a candidate with few users, the information is mostly an estimate from the cosine. The first items are
 * then ordered by `rel` times the factor of shared categories, see `CategoryFactor`. For an item with few users, the P-term is mostly a
 * prediction from the item's embedding, see `PredictedTerms`, and the information has less weight.
 */
export class RelatedRows implements RowVisitor {
  private readonly tools: RowTools;
  private readonly interactions: Interactions;
  private readonly parts: RelatedParts;
  private readonly operator: OperatorRows | null;
  private readonly roots: Float32Array;
  private readonly eigenvalues: Float32Array;
  private readonly predicted: PredictedTerms;
  private readonly categories: CategoryFactor;
  private content: ContentIndex | null = null;
  private readonly nearest: readonly (NearestIndex | null)[];
  private readonly inverseRoot: Float64Array;
  private readonly terms: RelatedTerms;
  private readonly dots: Float32Array;
  private readonly term: Float32Array;
  readonly bins: ScoreSums;
  private readonly heldOut: ReadonlyMap<number, Float32Array>;
  /** The embedding of the row's item, and the embedding times sqrt(s), whose products with V predict P. */
  private readonly own: QuantisedRows;
  private readonly predicting: QuantisedRows;
  private readonly key: Float32Array;
  private readonly chosen: Int32Array;
  private readonly found = new Int32Array(nearestLimit);
  private readonly seen: Int32Array;
  private readonly lists: RelatedLists;
  private readonly scores: PairScores;

  /** @param operator operator rows with `strongSum`, which visit each row before this object does; null for none */
  constructor(interactions: Interactions, parts: RelatedParts, lists: RelatedLists, operator: OperatorRows | null) {
    const { items, itemDegree } = interactions;
    const { factors } = parts;
    const { rank } = factors;
    const tools = createRowTools(interactions);
    this.tools = tools;
    this.interactions = interactions;
    this.scores = new PairScores(itemDegree, interactions.users);
    this.bins = new ScoreSums(itemDegree, this.scores);
    this.parts = parts;
    this.operator = parts.embedding === null ? operator : null;
    this.roots = tools.place(Float32Array.from(factors.eigenvalues, Math.sqrt));
    this.eigenvalues = tools.place(Float32Array.from(factors.eigenvalues));
    this.categories = new CategoryFactor(parts.weighted, parts.isCategory);
    this.nearest = parts.cells.map((cells) => (cells === null ? null : new NearestIndex(tools, cells)));
    this.inverseRoot = degreePowers(itemDegree, -0.5);
    const ofDegree = (exponent: number): Float32Array => tools.place(Float32Array.from(degreePowers(itemDegree, exponent)));
    const popularity = ofDegree(popularityExponent);
    this.predicted = new PredictedTerms(tools, popularity, parts.bound);
    this.dots = tools.floats(items);
    this.term = tools.floats(items);
    this.terms = {
      dot: this.dots,
      term: null,
      inverseNorm: tools.place(parts.norms.map((norm) => (norm === 0 ? 0 : 1 / norm))),
      columnWeight: ofDegree(popularityExponent - 0.5),
      popularity,
      near: tools.floats(items),
      inverseLength: 0,
      seen: 0,
      expected: 0,
      scale: 0,
    };
    this.own = tools.quantised(1, rank);
    this.predicting = tools.quantised(1, rank);
    this.key = tools.floats(items);
    this.chosen = tools.integers(items);
    this.seen = new Int32Array(items).fill(-1);
    this.lists = lists;
    this.heldOut = new Map(Array.from(parts.heldOut?.items ?? [], (held, at) => [held, parts.heldOut?.vectors.subarray(at * rank, (at + 1) * rank) ?? new Float32Array(rank)]));
  }

  addRow(item: number, row: CandidateRow): void {
    const { parts, terms } = this;
    const touched = row.groupStart[row.groupStart.length - 1] as number;
    const largest = this.tools.largestSum(row.touched, touched, row.sums, terms.columnWeight);
    this.lists.divisor[item] = (largest * (this.inverseRoot[item] as number)) / (parts.factors.largestEigenvalue || 1);
    const { embedding, factors } = parts;
    const vector = (embedding ?? factors.vectors).subarray(item * factors.rank, (item + 1) * factors.rank);
    const norm = parts.norms[item] as number;
    this.categories.begin(item);
    this.begin(item, vector, norm, this.interactions.itemDegree[item] as number, largest);
    for (let group = 0; group < row.candidateCount.length; group++) {
      const count = this.gather(item, row, group, norm);
      if (count > 0) this.addGroup(item, row, group, count);
      else if (norm === 0 && largest === 0 && parts.itemGroup[item] === group) this.addContent(item);
    }
    this.lists.rows.end(item);
    const heldOut = this.heldOut.get(item);
    if (heldOut !== undefined) this.calibrateContent(item, heldOut, row);
  }

  /**
   * Loads an item's embedding into `own` and `predicting`, and sets the terms of its row.
   * @param degree number of users of the item
   * @param largest maximum of the row's P-terms
   */
  private begin(item: number, vector: Float32Array, norm: number, degree: number, largest: number): void {
    const { terms, predicted, own, predicting, roots, tools } = this;
    const { embedding } = this.parts;
    tools.quantise(vector, embedding === null ? roots : null, own, 0);
    tools.quantise(vector, embedding === null ? this.eigenvalues : roots, predicting, 0);
    predicted.begin(predicting, item, degree);
    terms.inverseLength = norm === 0 ? 0 : 1 / norm;
    terms.seen = largest === 0 ? 0 : (1 - predicted.weight) / largest;
    terms.expected = predicted.weight;
    terms.scale = predicted.scale;
  }

  /**
   * Writes the row's candidates and the items with the nearest embeddings to `chosen`, each item once.
   * @param norm length of the item's embedding
   * @param mark a number of this item and pass, which marks the items that were written
   * @returns number of items written
   */
  private gather(item: number, row: Candidates, group: number, norm: number, mark = item): number {
    const { chosen, seen, own } = this;
    const start = row.groupStart[group] as number;
    let count = row.candidateCount[group] as number;
    chosen.set(row.candidates.subarray(start, start + count));
    const index = this.nearest[group];
    if (index === null || index === undefined || norm === 0) return count;
    for (let place = 0; place < count; place++) seen[chosen[place] as number] = mark;
    const nearest = index.search(own, nearestLimit, this.found);
    for (let place = 0; place < nearest; place++) {
      const other = this.found[place] as number;
      if (other !== item && seen[other] !== mark) chosen[count++] = other;
      seen[other] = mark;
    }
    if (this.predicted.weight === 0) return count;
    const strong = this.predicted.search(group);
    for (let place = 0; place < strong; place++) {
      const other = this.predicted.found[place] as number;
      if (other !== item && seen[other] !== mark) chosen[count++] = other;
    }
    return count;
  }

  /** Adds the items with the most similar attributes. Used for an item without an embedding and without common users. */
  private addContent(item: number): void {
    const { idf, columns, itemGroup } = this.parts;
    this.content ??= new ContentIndex(idf, columns, itemGroup);
    const count = this.content.search(item, relatedLimit);
    for (let place = 0; place < count; place++) {
      const cosine = this.content.cosine[place] as number;
      this.lists.rows.add(this.content.found[place] as number, 0.5 * cosine, cosineMark - cosine);
    }
  }

  private addGroup(item: number, row: Candidates, group: number, count: number): void {
    const { chosen, key, scores } = this;
    const listed = this.orderGroup(item, row, group, count, true);
    for (let place = 0; place < listed; place++) {
      const other = chosen[place] as number;
      const common = row.sums[2 * other + 1] as number;
      const score = common === 0 ? this.markOf(item, other) : scores.of(common, item, other);
      this.lists.rows.add(other, key[place] as number, score);
    }
  }

  /** The mark of a pair without common users. */
  private markOf(item: number, other: number): number {
    const { itemDegree } = this.interactions;
    const measured = this.heldOut.size > 0;
    if (measured && itemDegree[item] === 0) return valueMark;
    return (measured && itemDegree[other] === 0 ? contentMark : cosineMark) - (this.terms.near[other] as number);
  }

  /**
   * Orders the first entries of `chosen` by their ranking values, the largest first.
   * @returns number of entries that the list contains
   */
  private orderGroup(item: number, row: Candidates, group: number, count: number, calibrates: boolean): number {
    const { chosen, key, tools } = this;
    this.multiply(item, row, group, count);
    tools.relatedKeys(chosen, count, row.sums, this.terms, key);
    this.addInformation(item, row, count);
    if (calibrates) this.bins.addRow(item, chosen.subarray(0, count), this.terms.near, row.sums);
    const first = Math.min(count, categorised);
    tools.selectLargest(key, chosen, count, first);
    for (let place = 0; place < first; place++) {
      key[place] = (key[place] as number) * this.categories.of(chosen[place] as number);
    }
    tools.sortLargestFirst(key, chosen, first);
    let listed = 0;
    while (listed < Math.min(first, relatedLimit) && (key[listed] as number) > 0) listed++;
    return listed;
  }

  /**
   * Ranks the items that would be related to a held-out item without its interactions, and adds the scores that these pairs have by the interactions
   * to `bins`. Only the list counts, not all candidates: the first items of a list are those whose similarity the prediction
   * overestimates most.
   */
  private calibrateContent(item: number, vector: Float32Array, row: CandidateRow): void {
    const { bins, chosen, key, terms } = this;
    const norm = Math.hypot(...vector);
    if (norm === 0) return;
    const { sums, groupStart, candidates } = row;
    const unknown = { sums, groupStart, candidates, candidateCount: new Int32Array(row.candidateCount.length) };
    this.begin(item, vector, norm, 0, 0);
    for (let group = 0; group < row.candidateCount.length; group++) {
      const count = this.gather(item, unknown, group, norm, -2 - item);
      const listed = count === 0 ? 0 : this.orderGroup(item, unknown, group, count, false);
      for (let place = 0; place < listed; place++) {
        const other = chosen[place] as number;
        bins.addHeldOut(item, other, terms.near[other] as number, key[place] as number, sums[2 * other + 1] as number);
      }
    }
  }

  /**
   * Adds the information term to the keys. For an item with few users, this term has less weight than the prediction from the
   * embedding, as the common users have in P.
   */
  private addInformation(item: number, { sums }: Candidates, count: number): void {
    const { chosen, key, scores } = this;
    const { near } = this.terms;
    const { itemDegree } = this.interactions;
    const known = relatedFormula.information * (1 - this.predicted.weight);
    const rest = 1 - relatedFormula.information;
    for (let place = 0; place < count; place++) {
      const other = chosen[place] as number;
      const common = sums[2 * other + 1] as number;
      const users = itemDegree[other] as number;
      const npmi = common === 0 ? 0 : npmiWeight(relatedFormula, users) * scores.of(common, item, other);
      const estimated = estimateWeight(relatedFormula, users) * Math.max(0, near[other] as number);
      key[place] = rest * (key[place] as number) + known * (npmi + estimated);
    }
  }

  /** Computes the products of the item's embedding with the embeddings of the chosen items, and the predictions of P. */
  private multiply(item: number, row: Candidates, group: number, count: number): void {
    const { tools, terms, dots, chosen, predicting, predicted } = this;
    const { embeddingRows, vectorRows } = this.parts;
    const strong = this.operator?.hasRow(item) === true ? this.operator.strongSum : null;
    const known = strong === null ? 0 : (row.candidateCount[group] as number);
    const start = row.groupStart[group] as number;
    if (strong !== null) dots.set(strong.subarray(start, start + known));
    // If the embedding is V sqrt(s), the products of the embeddings are also the predictions.
    const [query, matrix] = embeddingRows === null ? [predicting, vectorRows] : [this.own, embeddingRows];
    if (known < count) tools.dot(query, matrix, chosen.subarray(known), count - known, [dots.subarray(known)]);
    terms.term = null;
    if (predicted.weight === 0) return;
    terms.term = embeddingRows === null ? dots : this.term;
    if (terms.term === this.term) tools.dot(predicting, vectorRows, chosen, count, [this.term]);
  }
}
