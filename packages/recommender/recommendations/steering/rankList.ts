import type { GivenHistory } from '../../engine/query/givenHistory.ts';
import type { ListOptions } from '../../engine/query/listOptions.ts';
import type { Ranking } from '../../engine/query/ranking.ts';
import type { Recommender, Source } from '../../engine/query/recommender.ts';
import { rankSteered, steer, trendingSteered } from './rankSteered.ts';
import type { Steering } from './steering.ts';
import type { ListRecording } from '../../answers/recordedAnswer.ts';

/** Limits of the lists of an answer, and their expressions; null without filter, boost, offset and rules. */
export interface AnswerOptions extends ListOptions {
  offset: number;
  steering: Steering | null;
  /** Where the lists are recorded; null if the answer is not in the sample. */
  recording?: ListRecording | null;
}

/**
 * Ranks one list of an answer, with the expressions of the request.
 * @param source null for trending items
 */
export function rankList(recommender: Recommender, source: Source | null, options: AnswerOptions): Ranking {
  const ranking = rankOne(recommender, source, options);
  options.recording?.add(recommender.model, source, ranking);
  return ranking;
}

function rankOne(recommender: Recommender, source: Source | null, options: AnswerOptions): Ranking {
  const { steering } = options;
  steering?.begin(typeof source === 'number' ? source : -1);
  if (source === null) return steering === null ? recommender.trending(options) : trendingSteered(recommender, options, steering);
  return steering === null ? recommender.recommend(source, options) : rankSteered(recommender, source, options, steering);
}

/**
 * Ranks the list of a session, with the expressions of the request.
 * @param node entity that the session belongs to; -1 for none
 */
export function rankSession(recommender: Recommender, history: GivenHistory, node: number, options: AnswerOptions): Ranking {
  const { steering } = options;
  steering?.begin(node);
  const rank = (within: ListOptions): Ranking => recommender.recommendFor(history, within);
  return steering === null ? rank(options) : steer(recommender, rank, options, steering);
}
