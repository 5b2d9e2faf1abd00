import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import type { ModelCache } from './modelCache.ts';
import { chooseModelId } from './chooseModelId.ts';
import { RecommendationsAnswer } from './recommendation.schema.ts';
import { RecommendRequest } from './recommendRequest.schema.ts';
import { sendWhole } from './sendAnswer.ts';
import { writeLists } from './writeLists.ts';

/** POST /v1/recommender/recommend. */
export function recommendRoute(server: FastifyInstance, platform: Platform, models: ModelCache): void {
  typed(server).post(
    '/v1/recommender/recommend',
    {
      config: { scope: 'recommend:read', problems: ['unknown-model', 'unknown-entity', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
      schema: {
        operationId: 'recommend',
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
        return sendWhole(reply, 'json', writeLists(held, modelId, platform.random.uuid(), request.body));
      } finally {
        held.release();
      }
    },
  );
}
