import { ItemScores } from '../evaluation/itemScores.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import { followedItems, transitionWeight } from '../time/historyWeights.ts';
import { transitionRows } from '../time/transitionRows.ts';
import type { BestCandidates } from './bestCandidates.ts';
import type { ProfileScorer } from './profileScorer.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { WeightedRows } from '../data/trainedModel.ts';

/**
 * Lists that follow what users chose next in part, with the scores of `mixInto`. Only few items can be among the first places: the first items by the operator, and items whose
 * transitions could lift them above the last of these even with the last one's operator score (threshold algorithm, Fagin, Lotem and Naor 2001).
 */
export class FollowedLists {
  private readonly history: History;
  private readonly catalogue: Catalogue;
  private readonly next: ItemScores;
  /** Largest score of `next`. */
  private most = 0;
  private readonly key: Float64Array;
  private readonly chosen: Int32Array;
  /** 1 + place in `chosen` of each chosen item, 0 between calls. */
  private readonly placed: Int32Array;
  private transitions: WeightedRows | null = null;
  private items: Int32Array = new Int32Array(0);
  private isFollowed = false;

  /** @param items number of items of the catalogue */
  constructor(history: History, catalogue: Catalogue, items: number) {
    this.history = history;
    this.catalogue = catalogue;
    this.next = new ItemScores(items);
    this.key = new Float64Array(items);
    this.chosen = new Int32Array(items);
    this.placed = new Int32Array(items);
  }

  /** Sets the user by the items of the user's history. */
  begin(items: Int32Array): void {
    this.items = items;
    this.isFollowed = false;
  }

  /**
   * The items with the largest values above 0, at most `limit`, largest first.
   * @param share share of the transitions
   * @param scorer with the scores of the user's candidates
   */
  list(share: number, scorer: Pick<ProfileScorer, 'candidates' | 'value' | 'count' | 'best'> & { bestCandidates: Pick<BestCandidates, 'values'> }, limit: number): Int32Array {
    if (!this.isFollowed) this.follow();
    const { next, key, chosen } = this;
    const best = scorer.best(limit);
    const { values } = scorer.bestCandidates;
    const scaleA = (1 - share) / (best.length === 0 ? Number.POSITIVE_INFINITY : (values[0] as number));
    const scaleB = share / (this.most || Number.POSITIVE_INFINITY);
    let least = best.length < limit ? 0 : Number.POSITIVE_INFINITY;
    for (let place = 0; place < best.length; place++) {
      const item = best[place] as number;
      key[place] = (values[place] as number) * scaleA + (next.value[item] as number) * scaleB;
      chosen[place] = item;
      least = Math.min(least, key[place] as number);
    }
    const last = best.length < limit ? 0 : (values[limit - 1] as number);
    const count = this.addFollowed(best.length, last * scaleA, scaleB, least);
    this.addOperator(best.length, count, scorer, scaleA);
    let positive = 0;
    for (let place = 0; place < count; place++) {
      if (!((key[place] as number) > 0)) continue;
      key[positive] = key[place] as number;
      chosen[positive++] = chosen[place] as number;
    }
    const kept = Math.min(limit, positive);
    selectLargest(key, chosen, positive, kept);
    sortLargestFirst(key, chosen, kept);
    return chosen.slice(0, kept);
  }

  /** Adds the items that transitions can lift to `least`, with the score of their transitions; returns the number of chosen items. */
  private addFollowed(before: number, mostOfOperator: number, scale: number, least: number): number {
    const { next, key, chosen, placed } = this;
    for (let place = 0; place < before; place++) placed[chosen[place] as number] = place + 1;
    let count = before;
    for (let at = 0; at < next.count; at++) {
      const item = next.item[at] as number;
      const score = (next.value[item] as number) * scale;
      if (score === 0 || mostOfOperator + score < least || placed[item] !== 0) continue;
      key[count] = score;
      chosen[count++] = item;
      placed[item] = count;
    }
    return count;
  }

  /** Adds the operator's scores to those of the chosen items from `first` to `end`. */
  private addOperator(first: number, end: number, { candidates, value, count }: Pick<ProfileScorer, 'candidates' | 'value' | 'count'>, scale: number): void {
    const { key, chosen, placed } = this;
    if (end > first) {
      for (let at = 0; at < count; at++) {
        const place = (placed[candidates[at] as number] as number) - 1;
        if (place >= first) key[place] = (value[at] as number) * scale + (key[place] as number);
      }
    }
    for (let place = 0; place < end; place++) placed[chosen[place] as number] = 0;
  }

  /** Sets `next` to the transitions from the items. */
  private follow(): void {
    const { itemGroup, targetTypes } = this.catalogue;
    const { next, items } = this;
    const rows = (this.transitions ??= transitionRows(this.history, itemGroup, targetTypes.length));
    next.clear();
    for (let rank = 0; rank < Math.min(followedItems, items.length); rank++) {
      const item = items[items.length - 1 - rank] as number;
      const weight = transitionWeight(rank);
      const end = rows.pointer[item + 1] as number;
      for (let at = rows.pointer[item] as number; at < end; at++) next.add(rows.index[at] as number, weight * (rows.value[at] as number));
    }
    for (const item of items) next.value[item] = 0;
    this.most = next.largest();
    this.isFollowed = true;
  }
}
