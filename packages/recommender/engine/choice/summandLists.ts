import { usualAls } from '../ridge/alsMatrix.ts';
import { listMetrics } from '../evaluation/rankUsers.ts';
import type { BestCandidates } from './bestCandidates.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Terms of a user's candidates, apart from each other: the operator's scores, and the sums of the regression and of variants of alternating least squares. */
export interface SummandTerms {
  candidates: Int32Array;
  operator: Float32Array;
  ridge: Float32Array;
  als: readonly Float32Array[];
}

const cutoff = 20;
/** Items with the largest terms that are kept, for each kind of terms: five times the length of the lists compared. */
const keptPerKind = 100;

/**
 * Maximum weight at which a summand has values as large as the operator's. Data has scales up to 100; if users share almost no items, a matrix has fewer than 20 values for most
 * users, the others are rounding errors, and their scale is above 10,000.
 */
const mostScale = 1e4;

/** Weight at which values are as large as the operator's; 0 for a summand without values. */
export function scaleOf(operator: number, values: number): number {
  const scale = values === 0 ? 0 : operator / values;
  return scale > mostScale ? 0 : scale;
}

/**
 * What mixtures of an operator with a ridge and alternating least squares need of the deciding users' candidates: the best items by each, with all
 * terms. So a mixture costs three to four hundred sums a user instead of a pass over all candidates.
 */
export class SummandLists {
  /** Work of a mixture: keys to order. */
  keys = 0;
  private readonly best: BestCandidates;
  private readonly wanted: Int32Array[] = [];
  private readonly start = [0];
  private readonly item: Int32Array;
  private readonly terms: readonly Float32Array[];
  /** Values and items of a mixture of a user, and places of candidates, of the tools. */
  private readonly value: Float32Array;
  private readonly listed: Int32Array;
  /** Terms of a user, which can come from the memory of another trial. */
  private readonly copy: Float32Array;
  private readonly place: Int32Array;
  private readonly isKept: Uint8Array;
  private readonly confidences: readonly number[];
  /** Sums of the 20th largest terms of the users who count. */
  private readonly last: number[];

  /**
   * @param users number of users that will be added
   * @param candidates maximum number of a user's candidates
   * @param confidences confidence of each variant of alternating least squares
   */
  constructor(best: BestCandidates, users: number, candidates: number, confidences: readonly number[] = [usualAls.confidence]) {
    const kinds = 2 + confidences.length;
    this.best = best;
    this.confidences = confidences;
    this.last = Array.from({ length: kinds }, () => 0);
    this.item = new Int32Array(users * kinds * keptPerKind);
    this.terms = Array.from({ length: kinds }, () => new Float32Array(this.item.length));
    this.value = best.tools.floats(kinds * keptPerKind);
    this.listed = best.tools.integers(kinds * keptPerKind);
    this.copy = best.tools.floats(candidates);
    this.place = best.tools.place(Int32Array.from({ length: candidates }, (_, place) => place));
    this.isKept = new Uint8Array(candidates);
  }

  /**
   * Adds a user.
   * @param wanted held-out items
   * @param counts whether the user's terms count for `scale`
   */
  add({ candidates, operator, ridge, als }: SummandTerms, wanted: Int32Array, counts: boolean): void {
    const given = [operator, ridge, ...als.slice(0, this.confidences.length)];
    const lists = given.map((terms) => {
      this.copy.set(terms);
      return this.best.of(this.place, this.copy, candidates.length, keptPerKind);
    });
    let end = this.start.at(-1) as number;
    for (const [kind, places] of lists.entries()) {
      if (counts && places.length >= cutoff) this.last[kind] = (this.last[kind] as number) + (given[kind]?.[places[cutoff - 1] as number] as number);
      for (const place of places) {
        if (this.isKept[place] === 1) continue;
        this.isKept[place] = 1;
        this.item[end] = candidates[place] as number;
        for (let at = 0; at < given.length; at++) (this.terms[at] as Float32Array)[end] = (given[at] as Float32Array)[place] as number;
        end++;
      }
    }
    for (const places of lists) for (const place of places) this.isKept[place] = 0;
    this.start.push(end);
    this.wanted.push(wanted);
  }

  /** Weights at which the ridge and each variant of alternating least squares have the same 20th largest terms as the operator, over all users that count together; 0 without terms. */
  get scale(): { ridge: number; als: readonly number[] } {
    const [operator = 0, ridge = 0, ...als] = this.last;
    return { ridge: scaleOf(operator, ridge), als: als.map((values) => scaleOf(operator, values)) };
  }

  /** Recall@20 and ndcg@20 of each user, alternating, with these weights beside the operator. */
  measure({ ridge = 0, als = 0, confidence = usualAls.confidence }: Pick<OperatorSetting, 'ridge' | 'als' | 'confidence'>): Float64Array {
    const { item, value, listed, start } = this;
    const [operator, ofRidge] = this.terms as readonly [Float32Array, Float32Array];
    const ofAls = this.terms[2 + Math.max(0, this.confidences.indexOf(confidence))] as Float32Array;
    const results = new Float64Array(2 * this.wanted.length);
    for (const [user, wanted] of this.wanted.entries()) {
      const [first, end] = [start[user] as number, start[user + 1] as number];
      for (let at = first; at < end; at++) {
        value[at - first] = (operator[at] as number) + ridge * (ofRidge[at] as number) + als * (ofAls[at] as number);
      }
      listed.set(item.subarray(first, end));
      const list = this.best.of(listed, value, end - first, cutoff);
      const { recall, ndcg } = listMetrics(list, wanted);
      results[2 * user] = recall;
      results[2 * user + 1] = ndcg;
    }
    this.keys += start.at(-1) as number;
    return results;
  }
}
