import { explain } from '../engine/query/explain.ts';
import { jsonRows } from '../engine/query/jsonRows.ts';
import type { OpenModel } from './modelCache.ts';
import { readListRequest } from './readListRequest.ts';
import type { RecommendRequest } from './recommendRequest.schema.ts';
import { rankRequest, type ListSource } from './steering/rankRequest.ts';
import { recommendationsObject } from './writeAnswer.ts';

/** The answer to a request, as JSON. @throws Problem unknown-entity, invalid-expression or invalid-parameter */
export function writeLists({ recommender, version }: OpenModel, modelId: string, recommendationId: string, body: RecommendRequest): string {
  const { lists, request, unknownIds, includeSeen } = readListRequest(recommender, body);
  const head = { recommendation_id: recommendationId, model_id: modelId, model_version: version, unknown_ids: unknownIds };
  const texts = lists.map((from) => writeList(from));
  return [...recommendationsObject(head, [texts.filter((text) => text !== '').join(',')])].join('');

  function writeList(from: ListSource): string {
    const node = typeof from.source === 'number' ? from.source : -1;
    request.steering.begin(node);
    const ranking = rankRequest(recommender, from, { ...request, seen: includeSeen(from) });
    const reasons = body.explain === true ? explain(recommender.model, node, ranking, recommender.recent) : null;
    return jsonRows(recommender, from.source ?? -1, ranking, reasons);
  }
}
