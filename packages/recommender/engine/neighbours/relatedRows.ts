import { rowTools, type RowTools } from '../kernels/rowTools.ts';
import { rowNorms } from '../linear/dotRows.ts';
import { degreePowers } from '../matrix/interactions.ts';
import { growingFloats, growingIntegers } from '../matrix/growingArray.ts';
import { buildCells } from './nearestCells.ts';
import { NearestIndex } from './nearestIndex.ts';
import { PredictedTerms } from './predictedTerms.ts';
import { CosineBins, binOf } from '../scores/cosineBins.ts';
import { pairScore } from '../scores/pairScore.ts';
import { poolAdjacentViolators } from '../scores/poolAdjacentViolators.ts';
import type { CategoryFactor } from './categoryFactor.ts';
import type { ContentIndex } from './contentIndex.ts';
import type { GramRow } from './gramRow.ts';
import type { RowVisitor } from './visitRows.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { NeighbourRows } from '../trainedModel.ts';

/** Related items kept per row and target type. */
export const relatedLimit = 100;
/** Items taken from the nearest-embedding search; some more than are kept, for the search compares 64 directions. */
const nearestLimit = 150;
/** Exponent of the candidate's popularity in the neighbour half of the order. */
const popularityExponent = 0.3;
/**
 * A pair without common users waits for its score until all rows were seen; meanwhile `mark - cosine`, which is
 * below 0, stands in its place.
 */
const cosineMark = -2;
/** From so many users on, an item's pairs tell what score a cosine stands for. */
const calibrationUsers = 5;
/** One pair in so many does, chosen by its items alone: the order of the candidates is that of a partition. */
const calibrationShare = 8;

export type RelatedList = NeighbourRows & { value: Float32Array };

/**
 * Related items, one order for warm and cold items alike: `rel = 1/2 P[i,j] d_j^0.3 / (its maximum over j) +
 * 1/2 cos(e_i, e_j)`, over the row's candidates and the items of the nearest embeddings; the first hundred are ordered by
 * this times what the categories of both say, see `CategoryFactor`. The first half of an item with
 * few users is mostly what its embedding lets expect, see `PredictedTerms`.
 */
export class RelatedRows implements RowVisitor {
  private readonly tools: RowTools;
  private readonly interactions: Interactions;
  private readonly embedding: Float32Array;
  private readonly rank: number;
  private readonly norms: Float64Array;
  private readonly predicted: PredictedTerms;
  private readonly content: ContentIndex;
  private readonly categories: CategoryFactor;
  private readonly itemGroup: Int32Array;
  private readonly nearest: readonly (NearestIndex | null)[];
  private readonly largestEigenvalue: number;
  private readonly inverseRoot: Float64Array;
  /** `d_j^(0.3 - 1/2)`: what the column contributes to `P[i,j] d_j^0.3`. */
  private readonly columnWeight: Float64Array;
  private readonly divisor: Float32Array;
  private readonly bins = new CosineBins();
  private readonly query: Float32Array;
  private readonly cosine: Float32Array;
  private readonly cosineOf: Float64Array;
  private readonly term: Float32Array;
  private readonly key: Float32Array;
  private readonly chosen: Int32Array;
  private readonly found: Int32Array;
  private readonly seen: Int32Array;
  private readonly pointer: Float64Array;
  private readonly groupEnds = growingIntegers();
  private readonly index = growingIntegers();
  private readonly value = growingFloats();
  private readonly score = growingFloats();

  constructor(
    interactions: Interactions,
    itemGroup: Int32Array,
    groups: number,
    embedding: Float32Array,
    factors: Factors,
    content: ContentIndex,
    categories: CategoryFactor,
    seed: number,
  ) {
    const { items, itemDegree } = interactions;
    const tools = rowTools(interactions);
    this.tools = tools;
    this.interactions = interactions;
    this.embedding = tools.place(embedding);
    this.content = content;
    this.categories = categories;
    this.itemGroup = itemGroup;
    const { rank } = factors;
    this.rank = rank;
    this.largestEigenvalue = factors.largestEigenvalue;
    this.norms = rowNorms(embedding, items, rank);
    this.nearest = Array.from({ length: groups }, (_, group) => {
      const members = Int32Array.from(itemGroup.keys()).filter(
        (item) => itemGroup[item] === group && (this.norms[item] as number) > 0,
      );
      return members.length === 0 ? null : new NearestIndex(tools, buildCells(tools, embedding, this.norms, rank, members, seed + group));
    });
    this.inverseRoot = degreePowers(itemDegree, -0.5);
    this.columnWeight = degreePowers(itemDegree, popularityExponent - 0.5);
    this.predicted = new PredictedTerms(tools, factors, degreePowers(itemDegree, popularityExponent), itemGroup, groups);
    this.divisor = new Float32Array(items);
    this.query = tools.floats(rank);
    this.cosine = tools.floats(items);
    this.cosineOf = new Float64Array(items);
    this.term = tools.floats(items);
    this.key = tools.floats(items);
    this.chosen = tools.integers(items);
    this.found = new Int32Array(nearestLimit);
    this.seen = new Int32Array(items).fill(-1);
    this.pointer = new Float64Array(items + 1);
  }

  addRow(item: number, row: GramRow): void {
    let largest = 0;
    const touched = row.groupStart[row.groupStart.length - 1] as number;
    for (let place = 0; place < touched; place++) {
      const other = row.touched[place] as number;
      const term = (row.sums[2 * other] as number) * (this.columnWeight[other] as number);
      if (term > largest) largest = term;
    }
    this.divisor[item] = (largest * (this.inverseRoot[item] as number)) / (this.largestEigenvalue || 1);
    const norm = this.norms[item] as number;
    for (let k = 0; k < this.rank; k++) {
      this.query[k] = norm === 0 ? 0 : (this.embedding[item * this.rank + k] as number) / norm;
    }
    this.categories.begin(item);
    this.predicted.begin(this.embedding, item, this.interactions.itemDegree[item] as number);
    for (let group = 0; group < row.candidateCount.length; group++) {
      const count = this.gather(item, row, group);
      if (count > 0) this.addGroup(item, row, count, largest === 0 ? 0 : 1 / largest);
      else if (norm === 0 && largest === 0 && this.itemGroup[item] === group) this.addContent(item);
      this.groupEnds.push(this.index.length);
    }
    this.pointer[item + 1] = this.index.length;
  }

  /** The lists and the row maxima of `P[i,j] d_j^0.3`. */
  finish(): { related: RelatedList; divisor: Float32Array } {
    const index = this.index.take();
    const value = this.value.take();
    const score = this.score.take();
    const means = this.bins.means();
    for (let entry = 0; entry < score.length; entry++) {
      const marked = score[entry] as number;
      if (marked < 0) score[entry] = means[binOf(cosineMark - marked)] as number;
    }
    let start = 0;
    for (const end of this.groupEnds.take()) {
      poolAdjacentViolators(score, start, end);
      start = end;
    }
    return { related: { pointer: this.pointer, index, value, score }, divisor: this.divisor };
  }

  /** Candidates of the row and nearest embeddings, each once, in `chosen`; returns how many. */
  private gather(item: number, row: GramRow, group: number): number {
    const { chosen, seen } = this;
    const start = row.groupStart[group] as number;
    let count = row.candidateCount[group] as number;
    chosen.set(row.candidates.subarray(start, start + count));
    const index = this.nearest[group];
    if (index === null || index === undefined || (this.norms[item] as number) === 0) return count;
    for (let place = 0; place < count; place++) seen[chosen[place] as number] = item;
    const nearest = index.search(this.embedding, item * this.rank, nearestLimit, this.found);
    for (let place = 0; place < nearest; place++) {
      const other = this.found[place] as number;
      if (other !== item && seen[other] !== item) chosen[count++] = other;
      seen[other] = item;
    }
    if (this.predicted.weight === 0) return count;
    const strong = this.predicted.search(group);
    for (let place = 0; place < strong; place++) {
      const other = this.predicted.found[place] as number;
      if (other !== item && seen[other] !== item) chosen[count++] = other;
    }
    return count;
  }

  /** An item that neither users nor known attributes connect with anything gets the items with the same attributes. */
  private addContent(item: number): void {
    const count = this.content.search(item, relatedLimit);
    for (let place = 0; place < count; place++) {
      const cosine = this.content.cosine[place] as number;
      this.index.push(this.content.found[place] as number);
      this.value.push(0.5 * cosine);
      this.score.push(cosineMark - cosine);
    }
  }

  private addGroup(item: number, row: GramRow, count: number, scale: number): void {
    const { chosen, cosine, term, key, norms, interactions } = this;
    const { itemDegree, users } = interactions;
    const degree = itemDegree[item] as number;
    const seenWeight = (1 - this.predicted.weight) * scale;
    this.tools.dot(this.query, this.embedding, chosen, count, this.rank, cosine);
    if (this.predicted.weight > 0) this.predicted.terms(chosen, count, term);
    for (let place = 0; place < count; place++) {
      const other = chosen[place] as number;
      const near = (norms[other] as number) === 0 ? 0 : (cosine[place] as number) / (norms[other] as number);
      this.cosineOf[other] = near;
      const tells = (item + other) % calibrationShare === 0;
      if (tells && degree >= calibrationUsers && (itemDegree[other] as number) >= calibrationUsers) {
        this.bins.add(near, pairScore(row.sums[2 * other + 1] as number, degree, itemDegree[other] as number, users));
      }
      const seen = seenWeight * (row.sums[2 * other] as number) * (this.columnWeight[other] as number);
      const expected = this.predicted.weight > 0 ? this.predicted.weight * (term[place] as number) : 0;
      key[place] = 0.5 * (seen + expected) + 0.5 * near;
    }
    const kept = Math.min(count, relatedLimit);
    this.tools.selectLargest(key, chosen, count, kept);
    for (let place = 0; place < kept; place++) {
      key[place] = (key[place] as number) * this.categories.of(chosen[place] as number);
    }
    this.tools.sortLargestFirst(key, chosen, kept);
    for (let place = 0; place < kept && (key[place] as number) > 0; place++) {
      const other = chosen[place] as number;
      const common = row.sums[2 * other + 1] as number;
      this.index.push(other);
      this.value.push(key[place] as number);
      this.score.push(
        common === 0
          ? cosineMark - (this.cosineOf[other] as number)
          : pairScore(common, degree, itemDegree[other] as number, users),
      );
    }
  }
}
