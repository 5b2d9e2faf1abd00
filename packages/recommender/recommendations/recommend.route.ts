import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { explain } from '../engine/query/explain.ts';
import { jsonRows } from '../engine/query/jsonRows.ts';
import { rankRequest, type ListSource } from './steering/rankRequest.ts';
import type { HeldModel, ModelCache } from './modelCache.ts';
import { chooseModelId } from './chooseModelId.ts';
import { readListRequest } from './readListRequest.ts';
import { RecommendationsAnswer } from './recommendation.schema.ts';
import { RecommendRequest } from './recommendRequest.schema.ts';
import { sendWhole } from './sendAnswer.ts';
import { recommendationsObject } from './writeAnswer.ts';

/** POST /v1/recommender/recommend. */
export function recommendRoute(server: FastifyInstance, platform: Platform, models: ModelCache): void {
  typed(server).post(
    '/v1/recommender/recommend',
    {
      config: { scope: 'recommend:read' },
      schema: {
        summary: 'Recommend for an entity or a session',
        description:
          'Returns one list per entity, or the list of a session. Steps, in this order: ranking, candidates, exclude and filter, boost, threshold, diversity, per_group, pinned, offset. diversity and pinned change the order, so scores can then increase with the rank.',
        tags: ['recommender'],
        body: RecommendRequest,
        response: { 200: RecommendationsAnswer },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.identity;
      const modelId = await chooseModelId(platform, organizationId, request.body.model_id);
      const held = await models.hold(organizationId, modelId);
      try {
        reply.header('x-model-version', held.version);
        return sendWhole(reply, 'json', writeLists(platform, modelId, held, request.body));
      } finally {
        held.release();
      }
    },
  );
}

function writeLists(platform: Platform, modelId: string, { recommender, version }: HeldModel, body: RecommendRequest): string {
  const { lists, request, unknownIds, includeSeen } = readListRequest(recommender, body);
  const head = { recommendation_id: platform.random.uuid(), model_id: modelId, model_version: version, unknown_ids: unknownIds };
  const texts = lists.map((from) => writeList(from));
  return [...recommendationsObject(head, [texts.filter((text) => text !== '').join(',')])].join('');

  function writeList(from: ListSource): string {
    const node = typeof from.source === 'number' ? from.source : -1;
    request.steering.begin(node);
    const ranking = rankRequest(recommender, from, { ...request, seen: includeSeen(from) });
    const reasons = body.explain === true ? explain(recommender.model, node, ranking) : null;
    return jsonRows(recommender, from.source ?? -1, ranking, reasons);
  }
}
