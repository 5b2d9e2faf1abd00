import type { ListOptions } from '../../engine/query/listOptions.ts';
import type { Ranking } from '../../engine/query/ranking.ts';
import type { Recommender, Source } from '../../engine/query/recommender.ts';
import { rankSteered, trendingSteered } from './rankSteered.ts';
import type { Steering } from './steering.ts';

/** Limits of the lists of an answer, and their expressions; null without filter, boost and offset. */
export interface AnswerOptions extends ListOptions {
  offset: number;
  steering: Steering | null;
}

/**
 * Ranks one list of an answer, with the expressions of the request.
 * @param source null for trending items
 */
export function rankList(recommender: Recommender, source: Source | null, options: AnswerOptions): Ranking {
  const { steering } = options;
  steering?.begin(typeof source === 'number' ? source : -1);
  if (source === null) return steering === null ? recommender.trending(options) : trendingSteered(recommender, options, steering);
  return steering === null ? recommender.recommend(source, options) : rankSteered(recommender, source, options, steering);
}
