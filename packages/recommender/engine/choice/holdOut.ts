import { countEvaluated, drawHeldOut, evaluatedUsers, fewestDeciding } from '../evaluation/heldOutUsers.ts';
import { splitHistory, type Split } from '../evaluation/splitHistory.ts';
import { giveBack } from './giveBack.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { History } from '../matrix/buildHistory.ts';

/** Maximum number of users who decide on exponents. */
const decidingUsers = 3000;
/** Maximum number of interactions for several draws, each of which takes a factorisation, a regression and least squares. */
export const drawnEntries = 50_000;
/**
 * Number of histories on whom mixtures are compared, and maximum number of draws that bring so many about. With one draw and 586 or 828 users, recall + ndcg under other numbers of the same users
 * and items had a standard deviation of .7 to 3.3 %; with two or three draws, .4 to 2 % (bench/results/recommend-peers.md).
 */
const drawnHistories = 1500;
export const mostDraws = 3;
/** Distance between the seeds of draws. */
const seedStep = 100;

/** Histories without held-out items, the held-out items, and the users who decide. */
export interface HoldOut extends Split {
  users: Int32Array;
}

/**
 * Holds interactions out for the choice.
 * @param draw number of the draw, from 0: users without times have other items held out in each draw; the users are the same
 * @returns the split, and the users who decide
 */
export function holdOut(whole: History, catalogue: Catalogue, seed: number, draw = 0): HoldOut {
  const evaluated = splitHistory(whole, catalogue, seed);
  const drawn = drawHeldOut(evaluated.test, evaluatedUsers + decidingUsers, seed + 1);
  const count = countEvaluated(evaluated);
  const step = seedStep * draw;
  if (drawn.length - count >= Math.min(count, fewestDeciding)) {
    // The evaluated users' items stay hidden, so that the evaluation measures interactions that no choice has used.
    const users = drawn.subarray(count);
    const split = draw === 0 ? evaluated : splitHistory(whole, catalogue, seed, { users, seed: seed + step });
    return { ...giveBack(whole, split, drawn, seed + 6 + step), users };
  }
  const further = splitHistory(evaluated.train, catalogue, seed + 3 + step);
  const users = drawHeldOut(further.test, decidingUsers, seed + 4);
  return { ...giveBack(evaluated.train, further, users, seed + 6 + step), users };
}

/**
 * Number of draws with which a choice decides: several where few users decide and their items are drawn at random.
 * @param entries number of interactions of which nothing is held out
 * @param users number of users who decide
 */
export function countDraws(entries: number, users: number, isTimed: boolean): number {
  return isTimed || entries > drawnEntries ? 1 : Math.min(mostDraws, Math.ceil(drawnHistories / Math.max(1, users)));
}
