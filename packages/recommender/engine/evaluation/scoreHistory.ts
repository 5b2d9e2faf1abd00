import { sortLargestFirst } from '../ranking/selectLargest.ts';
import { followedItems, operatorWeights, transitionWeight } from '../time/historyWeights.ts';
import { noTransitions } from '../time/transitionRows.ts';
import { ItemScores } from './itemScores.ts';
import { usualCutoff, type ScoreUser } from './rankUsers.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { SparseRows, WeightedRows } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

type Preferences = SparseRows & Pick<History, 'weight' | 'disliked'>;

/** Scores items by the plain sum of the rows of a user's items. */
export function scoreByRows(history: SparseRows, rows: WeightedRows): ScoreUser {
  const { pointer, index } = history;
  return scoreHistory({ pointer, index }, rows, noTransitions(rows.pointer.length - 1), {});
}

/**
 * Scores items in the same way as served lists: the weighted sum of the operator rows of a user's items. If the setting has a
 * share m of transitions, the score is `(1-m) sum/max + m transitions/max`, with the maxima over the unseen items.
 */
export function scoreHistory(
  history: Preferences,
  operator: WeightedRows,
  transitions: WeightedRows,
  { recency = false, transitions: share = 0 }: Pick<OperatorSetting, 'recency' | 'transitions'>,
): ScoreUser {
  const next = new ItemScores(share > 0 ? operator.pointer.length - 1 : 0);
  return (user, out) => {
    const items = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
    const weights = operatorWeights(items.length, recency);
    const first = history.pointer[user] as number;
    items.forEach((item, place) => addRow(operator, item, (weights[place] as number) * (history.weight?.[first + place] ?? 1), out));
    pushAway(history, operator, user, out);
    if (share === 0) return;
    next.clear();
    const followed = Math.max(0, items.length - followedItems);
    for (let place = followed; place < items.length; place++) {
      addRow(transitions, items[place] as number, transitionWeight(items.length - 1 - place), next);
    }
    for (const item of items) {
      out.value[item] = 0;
      next.value[item] = 0;
    }
    for (const item of dislikesOf(history, user)) next.value[item] = 0;
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

/** Adds the rows of disliked items with their weights below 0, and removes these items. */
function pushAway({ disliked }: Pick<Preferences, 'disliked'>, operator: WeightedRows, user: number, out: ItemScores): void {
  if (disliked === undefined) return;
  const items = dislikesOf({ disliked }, user);
  const start = disliked.pointer[user] as number;
  items.forEach((item, place) => lowerByRow(operator, item, disliked.value[start + place] as number, out));
  for (const item of items) out.value[item] = 0;
}

function dislikesOf({ disliked }: Pick<Preferences, 'disliked'>, user: number): Int32Array {
  return disliked?.index.subarray(disliked.pointer[user], disliked.pointer[user + 1]) ?? noItems;
}

/** A dislike raises no item, so entries below 0 are left out. */
function lowerByRow(rows: WeightedRows, item: number, weight: number, out: ItemScores): void {
  const stop = rows.pointer[item + 1] as number;
  for (let place = rows.pointer[item] as number; place < stop; place++) {
    out.add(rows.index[place] as number, weight * Math.max(0, rows.value[place] as number));
  }
}

const noItems = new Int32Array(0);

function addRow(rows: WeightedRows, item: number, weight: number, out: ItemScores): void {
  const stop = rows.pointer[item + 1] as number;
  for (let place = rows.pointer[item] as number; place < stop; place++) {
    out.add(rows.index[place] as number, weight * (rows.value[place] as number));
  }
}
