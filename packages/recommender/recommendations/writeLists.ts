import type { ListRecording } from '../answers/recordedAnswer.ts';
import { explain } from '../engine/query/explain.ts';
import { jsonRows } from '../engine/query/jsonRows.ts';
import type { Ranking } from '../engine/query/ranking.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import { warningsMember } from './answerWarnings.ts';
import type { OpenModel } from './modelCache.ts';
import type { ExperimentMember } from './recommendation.schema.ts';
import { readListRequest } from './readListRequest.ts';
import type { ListsBody } from './recommendRequest.schema.ts';
import { requireUser } from './requireUser.ts';
import { rankRequest, type ListSource } from './steering/rankRequest.ts';
import type { RuleSet } from './steering/ruleSet.ts';
import { unknownTypesMember } from './unknownTypes.ts';
import { recommendationsObject, rulesMember } from './writeAnswer.ts';

interface AnswerParts {
  /** Rules that apply to the lists; null for none. */
  rules?: RuleSet | null;
  /** Where the lists are recorded; null if the answer is not in the sample. */
  recording?: ListRecording | null;
  /** The arm of an experiment that the answer names. */
  experiment?: ExperimentMember | undefined;
}

/** The answer to a request, as JSON. @throws Problem unknown-entity, invalid-expression or invalid-parameter */
export function writeLists(
  { recommender, version }: OpenModel, modelId: string, recommendationId: string, body: ListsBody, { rules = null, recording = null, experiment }: AnswerParts = {},
): string {
  const { lists, unknownIds, rank } = rankLists(recommender, body, rules);
  if (experiment !== undefined) for (const { source } of lists) requireUser(recommender, source, experiment);
  const head = {
    recommendation_id: recommendationId, model_id: modelId, model_version: version, ...(experiment === undefined ? {} : { experiment }), ...rulesMember(rules), unknown_ids: unknownIds,
    // The filter of an arm is not for pages.
    ...unknownTypesMember(recommender.model, body.entity_type), ...(body.items_only === true ? {} : warningsMember(recommender.model, body.filter)),
  };
  const texts = lists.map((from) => writeList(from));
  return [...recommendationsObject(head, [texts.filter((text) => text !== '').join(',')])].join('');

  function writeList(from: ListSource): string {
    const node = typeof from.source === 'number' ? from.source : -1;
    const ranking = rank(from);
    recording?.add(recommender.model, from.source, ranking);
    const reasons = body.explain === true ? explain(recommender.model, node, ranking, recommender.recent) : null;
    return jsonRows(recommender, from.source ?? -1, ranking, reasons);
  }
}

/** The lists of a request, each ranked when `rank` is called. @throws Problem unknown-entity, invalid-expression or invalid-parameter */
export function rankLists(recommender: Recommender, body: ListsBody, rules: RuleSet | null): { lists: ListSource[]; unknownIds: string[]; rank: (from: ListSource) => Ranking } {
  const { lists, request, unknownIds, includeSeen } = readListRequest(recommender, body, rules);
  const rank = (from: ListSource): Ranking => {
    request.steering.begin(typeof from.source === 'number' ? from.source : -1);
    return rankRequest(recommender, from, { ...request, seen: includeSeen(from) });
  };
  return { lists, unknownIds, rank };
}
