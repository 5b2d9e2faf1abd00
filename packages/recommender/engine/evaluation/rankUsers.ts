import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import { ItemScores } from './itemScores.ts';

export const usualCutoff = 20;

/** Recall and ndcg of each user, in the order in which users were given. */
export interface UserMetrics {
  recall: Float64Array;
  ndcg: Float64Array;
  /** 1 for items that occur in somebody's first places. */
  covered: Uint8Array;
}

/** Scores of items for a user: `out` is empty before, and seen items are left out afterwards. */
export type ScoreUser = (user: number, out: ItemScores) => void;

/**
 * Ranks all items that a user has not seen and compares the first `cutoff` with the held-out ones. Items of score 0 or less
 * are not recommended; equal scores are ordered by item number.
 */
export function rankUsers(
  users: Int32Array,
  train: SparseRows,
  test: SparseRows,
  items: number,
  scoreUser: ScoreUser,
  cutoff = usualCutoff,
): UserMetrics {
  const recall = new Float64Array(users.length);
  const ndcg = new Float64Array(users.length);
  const covered = new Uint8Array(items);
  const scores = new ItemScores(items);
  const key = new Float64Array(items);
  const chosen = new Int32Array(items);
  users.forEach((user, place) => {
    scores.clear();
    scoreUser(user, scores);
    const end = train.pointer[user + 1] as number;
    for (let entry = train.pointer[user] as number; entry < end; entry++) scores.value[train.index[entry] as number] = 0;
    let count = 0;
    for (let at = 0; at < scores.count; at++) {
      const item = scores.item[at] as number;
      const score = scores.value[item] as number;
      if (score <= 0) continue;
      key[count] = score;
      chosen[count++] = item;
    }
    const kept = Math.min(cutoff, count);
    selectLargest(key, chosen, count, kept);
    sortLargestFirst(key, chosen, kept);
    for (let rank = 0; rank < kept; rank++) covered[chosen[rank] as number] = 1;
    const wanted = test.index.subarray(test.pointer[user], test.pointer[user + 1]);
    const found = listMetrics(chosen.subarray(0, kept), wanted, cutoff);
    recall[place] = found.recall;
    ndcg[place] = found.ndcg;
  });
  return { recall, ndcg, covered };
}

/** recall = share of the wanted items that were listed; ndcg with binary gains against the best possible list. */
export function listMetrics(list: Int32Array, wanted: Int32Array, cutoff = usualCutoff): { recall: number; ndcg: number } {
  let hits = 0;
  let gain = 0;
  list.forEach((item, rank) => {
    if (!wanted.includes(item)) return;
    hits++;
    gain += 1 / Math.log2(rank + 2);
  });
  let ideal = 0;
  for (let rank = 0; rank < Math.min(cutoff, wanted.length); rank++) ideal += 1 / Math.log2(rank + 2);
  return { recall: hits / wanted.length, ndcg: gain / ideal };
}
