import type { Static } from 'typebox';
import { recordList, type RecordedList, type RecordedRequest } from '../answers/recordedAnswer.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import { findSources } from './findSources.ts';
import type { ListQuery, RelatedItemsQuery } from './recommendation.schema.ts';
import type { RecommendRequest } from './recommendRequest.schema.ts';
import { rankList } from './steering/rankList.ts';
import type { RuleSet } from './steering/ruleSet.ts';
import { answerOptions } from './writeAnswer.ts';
import { rankLists } from './writeLists.ts';

/**
 * Yields the lists that a recorded request would get now, ranked as the routes rank them.
 * @param rules rules that apply to the lists; null for none
 * @throws Problem as the route does, for example if the model no longer knows the entities
 */
export function* rankAgain(recommender: Recommender, { route, parameters }: RecordedRequest, rules: RuleSet | null): Generator<RecordedList> {
  const { model } = recommender;
  if (route === 'recommend') {
    const { lists, rank } = rankLists(recommender, parameters as RecommendRequest, rules);
    for (const from of lists) yield recordList(model, from.source, rank(from));
    return;
  }
  const query = parameters as ListQuery & Pick<Static<typeof RelatedItemsQuery>, 'entity_id' | 'unknown'>;
  const options = answerOptions(recommender, query, rules);
  const sources = route === 'trending_items' ? [null] : findSources(recommender, query.entity_id ?? [], query.unknown).listed;
  for (const source of sources) yield recordList(model, source, rankList(recommender, source, options));
}
