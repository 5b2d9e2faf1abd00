import type { ModelReader } from '../modelFile/openModel.ts';
import { followedItems, transitionWeight } from '../time/historyWeights.ts';
import type { UserSums } from './userSums.ts';

export function usesTransitions({ facts, transitions }: ModelReader): boolean {
  return transitions !== null && (facts.setting.transitions ?? 0) > 0;
}

/** What the two parts of a mixed value are divided by, with their shares in it. */
export interface Mix {
  operator: number;
  transitions: number;
}

/**
 * Turns the sums of a user's query into `(1-m) sum/max + m transitions/max`, with the maxima over the items that the user
 * has not seen.
 */
export function mixTransitions(model: ModelReader, sums: UserSums): void {
  const { operator, transitions } = mixOf(model, sums);
  for (let at = 0; at < sums.touchedCount; at += 1) {
    const item = sums.touched[at] ?? 0;
    sums.value[item] = operator * (sums.value[item] ?? 0) + transitions * (sums.next[item] ?? 0);
  }
}

/** Adds the transitions from the latest items of the history to `sums.next`. */
export function followTransitions({ transitions }: ModelReader, sums: UserSums): void {
  const { history, row, next } = sums;
  if (transitions === null) return;
  for (let rank = 0; rank < Math.min(history.count, followedItems); rank += 1) {
    transitions.read(history.ints[history.start + history.count - 1 - rank] ?? 0, row);
    const weight = transitionWeight(rank);
    for (let entry = 0; entry < row.count; entry += 1) {
      const item = row.ints[row.start + entry] ?? 0;
      sums.add(item, 0, 0);
      next[item] = (next[item] ?? 0) + weight * (row.floats[row.start + row.count + entry] ?? 0);
    }
  }
}

/** Factors of both parts in the value of an item. */
export function mixOf({ facts }: ModelReader, { touched, touchedCount, seen, value, next }: UserSums): Mix {
  const share = facts.setting.transitions ?? 0;
  let mostValue = 0;
  let mostNext = 0;
  for (let at = 0; at < touchedCount; at += 1) {
    const item = touched[at] ?? 0;
    if (seen[item] === 1) continue;
    mostValue = Math.max(mostValue, value[item] ?? 0);
    mostNext = Math.max(mostNext, next[item] ?? 0);
  }
  return { operator: mostValue > 0 ? (1 - share) / mostValue : 0, transitions: mostNext > 0 ? share / mostNext : 0 };
}
