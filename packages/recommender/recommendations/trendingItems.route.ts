import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { chooseModelId } from './chooseModelId.ts';
import type { ModelCache } from './modelCache.ts';
import { TrendingItemsQuery } from './recommendation.schema.ts';
import { answerContent, sendWhole } from './sendAnswer.ts';
import { answerOptions, recommendationsObject, trendingAsCsv, trendingAsJson } from './writeAnswer.ts';

/** GET /v1/recommender/trending_items. */
export function trendingItemsRoute(server: FastifyInstance, platform: Platform, models: ModelCache): void {
  typed(server).get(
    '/v1/recommender/trending_items',
    {
      config: { scope: 'recommend:read', problems: ['unknown-model', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
      schema: {
        operationId: 'trendingItems',
        summary: 'Trending items',
        description:
          'Returns items with more interactions than usual around the time of the newest interaction. The score is relative to the strongest trend of the same type.',
        tags: ['recommender'],
        querystring: TrendingItemsQuery,
        response: answerContent,
      },
    },
    async (request, reply) => {
      const { query } = request;
      const { organizationId } = request.identity;
      const modelId = await chooseModelId(platform, organizationId, query.model_id);
      const held = await models.hold(organizationId, modelId);
      try {
        const { recommender, version } = held;
        const options = answerOptions(recommender, query);
        reply.header('x-model-version', version);
        if (query.output_format !== 'json') return sendWhole(reply, 'csv', trendingAsCsv(recommender, options, { safe: query.csv_safe ?? false }));
        const head = {
          recommendation_id: platform.random.uuid(),
          model_id: modelId,
          model_version: version,
          unknown_ids: [],
        };
        return sendWhole(reply, 'json', [...recommendationsObject(head, [trendingAsJson(recommender, options)])].join(''));
      } finally {
        held.release();
      }
    },
  );
}
