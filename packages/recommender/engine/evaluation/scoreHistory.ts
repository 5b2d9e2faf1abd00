import { sortLargestFirst } from '../ranking/selectLargest.ts';
import { followedItems, operatorWeights, transitionWeight } from '../time/historyWeights.ts';
import { noTransitions } from '../time/transitionRows.ts';
import { ItemScores } from './itemScores.ts';
import { usualCutoff, type ScoreUser } from './rankUsers.ts';
import type { SparseRows, WeightedRows } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Scores items by the plain sum of the rows of a user's items. */
export function scoreByRows(history: SparseRows, rows: WeightedRows): ScoreUser {
  return scoreHistory(history, rows, noTransitions(rows.pointer.length - 1), {});
}

/**
 * Scores items in the same way as served lists: the weighted sum of the operator rows of a user's items. If the setting has a
 * share m of transitions, the score is `(1-m) sum/max + m transitions/max`, with the maxima over the unseen items.
 */
export function scoreHistory(
  history: SparseRows,
  operator: WeightedRows,
  transitions: WeightedRows,
  { recency = false, transitions: share = 0 }: Pick<OperatorSetting, 'recency' | 'transitions'>,
): ScoreUser {
  const next = new ItemScores(share > 0 ? operator.pointer.length - 1 : 0);
  return (user, out) => {
    const items = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
    const weights = operatorWeights(items.length, recency);
    items.forEach((item, place) => addRow(operator, item, weights[place] as number, out));
    if (share === 0) return;
    next.clear();
    const first = Math.max(0, items.length - followedItems);
    for (let place = first; place < items.length; place++) {
      addRow(transitions, items[place] as number, transitionWeight(items.length - 1 - place), next);
    }
    for (const item of items) {
      out.value[item] = 0;
      next.value[item] = 0;
    }
    mixInto(out, next, share);
  };
}

/**
 * Scores items by their number of users. Only the most popular items get a score: as many as one list and the user's history
 * together hold.
 * @param cutoff number of items in a list
 */
export function scoreByPopularity(history: SparseRows, itemDegree: Float64Array, cutoff = usualCutoff): ScoreUser {
  const key = itemDegree.slice();
  const item = Int32Array.from(key.keys());
  sortLargestFirst(key, item, key.length);
  return (user, out) => {
    const seen = (history.pointer[user + 1] as number) - (history.pointer[user] as number);
    for (let rank = 0; rank < Math.min(key.length, seen + cutoff); rank++) out.add(item[rank] as number, key[rank] as number);
  };
}

/** `out = (1 - share) out / max(out) + share next / max(next)`; a term without a positive entry adds nothing. */
export function mixInto(out: ItemScores, next: ItemScores, share: number): void {
  const scaleA = (1 - share) / (out.largest() || Number.POSITIVE_INFINITY);
  const scaleB = share / (next.largest() || Number.POSITIVE_INFINITY);
  for (let at = 0; at < next.count; at++) out.add(next.item[at] as number, 0);
  for (let at = 0; at < out.count; at++) {
    const item = out.item[at] as number;
    out.value[item] = (out.value[item] as number) * scaleA + (next.value[item] as number) * scaleB;
  }
}

function addRow(rows: WeightedRows, item: number, weight: number, out: ItemScores): void {
  const stop = rows.pointer[item + 1] as number;
  for (let place = rows.pointer[item] as number; place < stop; place++) {
    out.add(rows.index[place] as number, weight * (rows.value[place] as number));
  }
}
