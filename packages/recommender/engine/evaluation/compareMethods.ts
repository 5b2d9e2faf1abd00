import { verdictUsers, type Estimate, type Evaluation, type RankingMetrics } from '../data/trainedModel.ts';
import { bootstrapMeans } from './bootstrap.ts';
import { directionOf } from './directionOf.ts';
import type { UserMetrics } from './rankUsers.ts';

/**
 * The metrics of the model and of both baselines with intervals, and whether the model is better than popularity. The same users are in all, so the
 * differences from popularity are taken per user: they vary less than each metric. On FilmTrust, recall of the model (.791 to .830) and of popularity
 * (.766 to .808) overlap, and the difference is .010 to .038.
 * @param methods metrics per user, in the same order of users
 * @param items number of items that can be recommended
 * @param seed of the resamples
 */
export function compareMethods({ ours, knn, popularity }: Record<'ours' | 'knn' | 'popularity', UserMetrics>, items: number, seed: number): Evaluation {
  const users = ours.recall.length;
  const differences = [subtract(ours.recall, popularity.recall), subtract(ours.ndcg, popularity.ndcg)];
  const estimates = bootstrapMeans(
    [ours.recall, ours.ndcg, knn.recall, knn.ndcg, popularity.recall, popularity.ndcg, ...differences],
    seed,
  );
  const metrics = (first: number): RankingMetrics => ({
    'recall@20': estimates[first] as Estimate,
    'ndcg@20': estimates[first + 1] as Estimate,
  });
  const difference = metrics(6);
  const better = users >= verdictUsers && directionOf(difference) === 'above';
  return {
    ...metrics(0),
    coverage: ours.covered.reduce((count, covered) => count + covered, 0) / items,
    popularity: metrics(4),
    popularity_difference: difference,
    'item-knn': metrics(2),
    users,
    verdict: better ? 'better than popularity' : 'not better than popularity yet',
  };
}

function subtract(ours: Float64Array, theirs: Float64Array): Float64Array {
  return ours.map((value, user) => value - (theirs[user] as number));
}
