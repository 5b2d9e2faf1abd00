import { followedItems, transitionWeight } from '../time/historyWeights.ts';
import type { UserModel } from '../modelFile/userModel.ts';
import type { UserSums } from './userSums.ts';

/** Whether the model contains transitions and its setting gives them a share. */
export function usesTransitions({ facts, transitions }: UserModel): boolean {
  return transitions !== null && (facts.setting.transitions ?? 0) > 0;
}

/** Divisors of the two parts of a mixed value, combined with the parts' shares. */
export interface Mix {
  operator: number;
  transitions: number;
}

/**
 * Replaces the sums of a user's query by `(1-m) sum/max + m transitions/max`, with the maxima over the items that the user
 * has not seen.
 */
export function mixTransitions(model: UserModel, sums: UserSums): void {
  const { operator, transitions } = mixOf(model, sums);
  const { value, next, touched } = sums;
  for (let at = 1; at <= touched; at += 1) value[at] = operator * (value[at] ?? 0) + transitions * (next[at] ?? 0);
}

/** Adds the transitions from the latest items of the history to `sums.next`. */
export function followTransitions({ transitions }: UserModel, sums: UserSums): void {
  const { history, row } = sums;
  if (transitions === null) return;
  for (let rank = 0; rank < Math.min(history.count, followedItems); rank += 1) {
    transitions.read(history.ints[history.start + history.count - 1 - rank] ?? 0, row);
    sums.addNext(transitionWeight(rank));
  }
}

/** Factors of both parts of an item's value. The caller has removed seen items before. */
export function mixOf({ facts }: UserModel, { touched, value, next }: UserSums): Mix {
  const share = facts.setting.transitions ?? 0;
  let maxValue = 0;
  let maxNext = 0;
  for (let at = 1; at <= touched; at += 1) {
    maxValue = Math.max(maxValue, value[at] ?? 0);
    maxNext = Math.max(maxNext, next[at] ?? 0);
  }
  return { operator: maxValue > 0 ? (1 - share) / maxValue : 0, transitions: maxNext > 0 ? share / maxNext : 0 };
}
