import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import { ItemScores } from './itemScores.ts';

/** Default length of the lists that the evaluation compares. */
export const usualCutoff = 20;

/** Recall and ndcg of each user, in the order of the users passed to `rankUsers`. */
export interface UserMetrics {
  recall: Float64Array;
  ndcg: Float64Array;
  /** Per item: 1 if the item is among the first places of at least one user's list. */
  covered: Uint8Array;
}

/** Adds a user's item scores to `out`, which is empty at the call. The caller removes the items that the user has seen. */
export type ScoreUser = (user: number, out: ItemScores) => void;

/**
 * Ranks all items that a user has not seen and compares the first `cutoff` items with the held-out items. Items with a score
 * of 0 or less are not recommended; items with equal scores are ordered by item number.
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

/**
 * Recall is the share of the wanted items that the list contains; ndcg uses binary gains and the best possible list.
 * @param list recommended items, best first
 * @param wanted held-out items
 */
export function listMetrics(list: Int32Array, wanted: Int32Array, cutoff = usualCutoff): { recall: number; ndcg: number } {
  let hits = 0;
  let gain = 0;
  for (let rank = 0; rank < list.length; rank++) {
    if (!wanted.includes(list[rank] as number)) continue;
    hits++;
    gain += 1 / Math.log2(rank + 2);
  }
  let ideal = 0;
  for (let rank = 0; rank < Math.min(cutoff, wanted.length); rank++) ideal += 1 / Math.log2(rank + 2);
  return { recall: hits / wanted.length, ndcg: gain / ideal };
}
