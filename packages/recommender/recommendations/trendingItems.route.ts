import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { warningsMember } from './answerWarnings.ts';
import { chooseModelId } from './chooseModelId.ts';
import type { ExperimentAnswers } from './experimentAnswers.ts';
import { asksForItemsOnly, refuseFields } from './publishableKey.ts';
import { TrendingItemsQuery } from './recommendation.schema.ts';
import { answerContent, sendWhole } from './sendAnswer.ts';
import type { ListServing } from './serving.ts';
import { unknownTypesMember } from './unknownTypes.ts';
import { answerOptions, recommendationsObject, rulesMember, trendingAsCsv, trendingAsJson } from './writeAnswer.ts';

/**
 * GET /v1/recommender/trending_items.
 * @param experiments answers for the ids of experiments; null if there are none
 */
export function trendingItemsRoute(server: FastifyInstance, platform: Platform, { models, rules, answers }: ListServing, experiments: ExperimentAnswers | null = null): void {
  typed(server).get(
    '/v1/recommender/trending_items',
    {
      config: { scope: 'recommend:read', forPages: true, problems: ['unknown-model', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
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
      const itemsOnly = asksForItemsOnly(request.identity);
      if (itemsOnly) refuseFields(query, ['filter', 'boost'], 'query:');
      const modelId = await chooseModelId(platform, organizationId, query.model_id);
      // Refuses the id of an experiment, because trending items have no user.
      if (query.model_id !== undefined) await experiments?.choose(organizationId, modelId, null);
      if (!rules.isRead) await rules.read();
      const held = await models.hold(organizationId, modelId);
      try {
        const { recommender, version } = held;
        const applied = rules.of(organizationId, modelId, held);
        const recording = answers.begin(organizationId);
        const options = { ...answerOptions(recommender, query, applied), recording };
        const recommendationId = query.output_format === 'json' ? platform.random.uuid() : null;
        const unknown = unknownTypesMember(recommender.model, query.entity_type);
        if (unknown.unknown_types !== undefined) reply.header('x-unknown-type-count', unknown.unknown_types.length);
        const warned = itemsOnly ? {} : warningsMember(recommender.model, query.filter);
        if (warned.warnings !== undefined) reply.header('x-warning-count', warned.warnings.length);
        reply.header('x-model-version', version);
        const body = recommendationId === null ? trendingAsCsv(recommender, options, { safe: query.csv_safe ?? false }) :
          [...recommendationsObject({ recommendation_id: recommendationId, model_id: modelId, model_version: version, ...rulesMember(applied), unknown_ids: [], ...unknown, ...warned }, [trendingAsJson(recommender, options, !itemsOnly)])].join('');
        answers.end(recording, { organizationId, recommendationId, modelId, modelVersion: version, request: { route: 'trending_items', parameters: query } });
        return sendWhole(reply, query.output_format, body);
      } finally {
        held.release();
      }
    },
  );
}
