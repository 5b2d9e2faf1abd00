import { ItemScores } from '../evaluation/itemScores.ts';
import { mixInto } from '../evaluation/scoreHistory.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import { followedItems, transitionWeight } from '../time/historyWeights.ts';
import { transitionRows } from '../time/transitionRows.ts';
import type { ProfileScorer } from './profileScorer.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { WeightedRows } from '../data/trainedModel.ts';

/** Lists that follow what users chose next in part. */
export class FollowedLists {
  private readonly history: History;
  private readonly catalogue: Catalogue;
  private readonly next: ItemScores;
  private readonly operator: ItemScores;
  private readonly key: Float64Array;
  private readonly chosen: Int32Array;
  private transitions: WeightedRows | null = null;

  /** @param items number of items of the catalogue */
  constructor(history: History, catalogue: Catalogue, items: number) {
    this.history = history;
    this.catalogue = catalogue;
    this.next = new ItemScores(items);
    this.operator = new ItemScores(items);
    this.key = new Float64Array(items);
    this.chosen = new Int32Array(items);
  }

  /**
   * The items with the largest values above 0, at most `limit`, largest first.
   * @param items the user's history
   * @param share share of the transitions
   * @param scorer with the scores of the user's candidates
   */
  list(items: Int32Array, share: number, scorer: Pick<ProfileScorer, 'candidates' | 'value' | 'count'>, limit: number): Int32Array {
    const { next, operator, key, chosen } = this;
    this.follow(items);
    operator.clear();
    for (let place = 0; place < scorer.count; place++) operator.add(scorer.candidates[place] as number, scorer.value[place] as number);
    mixInto(operator, next, share);
    let count = 0;
    for (let at = 0; at < operator.count; at++) {
      const item = operator.item[at] as number;
      const score = operator.value[item] as number;
      if (score <= 0) continue;
      key[count] = score;
      chosen[count++] = item;
    }
    const kept = Math.min(limit, count);
    selectLargest(key, chosen, count, kept);
    sortLargestFirst(key, chosen, kept);
    return chosen.slice(0, kept);
  }

  /** Adds the transitions from the items to `next`. */
  private follow(items: Int32Array): void {
    const { itemGroup, targetTypes } = this.catalogue;
    const rows = (this.transitions ??= transitionRows(this.history, itemGroup, targetTypes.length));
    const { next } = this;
    next.clear();
    for (let rank = 0; rank < Math.min(followedItems, items.length); rank++) {
      const item = items[items.length - 1 - rank] as number;
      const end = rows.pointer[item + 1] as number;
      for (let at = rows.pointer[item] as number; at < end; at++) {
        next.add(rows.index[at] as number, transitionWeight(rank) * (rows.value[at] as number));
      }
    }
    for (const item of items) next.value[item] = 0;
  }
}
