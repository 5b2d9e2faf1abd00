import { ridgeShare } from '../ridge/ridgeMatrix.ts';
import { alsWork, ridgeWork } from './work.ts';
import type { Interactions } from '../matrix/interactions.ts';

/** A ridge is not tried with less than this share of the interactions on its items. */
const leastRidgeShare = 0.4;
/**
 * Work that a search may always do, about a second and a half, regardless of the size of the training. 1e9 leaves no room for the ridge on a sparse
 * shop, and loses 2 to 5 % of recall + ndcg on dense small data (bench/results/recommend-peers.md).
 */
const minAllowed = 1.4e9;
/**
 * Work that a search may do instead if popular items make its lists so costly that it would end within its first grid. On Debian dependencies, the usual
 * work reaches through half of the grid, and loses 1 to 2 % of recall and 3 to 4 % of ndcg (bench/results/recommend-peers.md).
 */
export const costlyWork = 3e9;
/** For larger trainings: maximum work of a search as a share of the work of the training's factors and lists. */
const allowedShare = 0.6;
/**
 * Maximum number of interactions for a mixture. Alternating least squares take .6 s on one core for as many, and the chance of few deciding users, which a
 * mixture lessens, is a matter of small data.
 */
export const mixedEntries = 500_000;
/** Work of one list of each deciding user, whose best items all mixtures are compared on. */
const mixedLists = 1e9;

/** Maximum work of a search, for a training with the given work. */
export function allowedWork(training: number): number {
  return Math.max(minAllowed, allowedShare * training);
}

/**
 * Work of regressions that a search is allowed in addition to `allowedWork`; 0 if a search tries no ridge. Where the sparse start is tried too, the work of a
 * second one is allowed: with one, the search of the sparse shop ended before its ridge, and lost 3 % of recall.
 */
export function regressionWork(interactions: Interactions, isSparse: boolean): number {
  return ridgeShare(interactions.itemDegree) < leastRidgeShare ? 0 : (isSparse ? 2 : 1) * ridgeWork(interactions);
}

/** Work of a mixture that a search is allowed in addition: alternating least squares, and the lists of its mixtures; 0 if a search tries none. */
export function mixtureWork(interactions: Interactions): number {
  const isMixed = interactions.rows.index.length <= mixedEntries && ridgeShare(interactions.itemDegree) >= leastRidgeShare;
  return isMixed ? alsWork(interactions) + mixedLists : 0;
}

/** Whether a search of a training with the given work may do no more than small trainings always may. */
export function isSmall(training: number): boolean {
  return allowedShare * training < minAllowed;
}
