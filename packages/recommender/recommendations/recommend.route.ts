import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { chooseModelId } from './chooseModelId.ts';
import { RecommendationsAnswer } from './recommendation.schema.ts';
import { RecommendRequest } from './recommendRequest.schema.ts';
import { sendWhole } from './sendAnswer.ts';
import type { ListServing } from './serving.ts';
import { writeLists } from './writeLists.ts';

/** POST /v1/recommender/recommend. */
export function recommendRoute(server: FastifyInstance, platform: Platform, { models, rules, answers }: ListServing): void {
  typed(server).post(
    '/v1/recommender/recommend',
    {
      config: { scope: 'recommend:read', problems: ['unknown-model', 'unknown-entity', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
      schema: {
        operationId: 'recommend',
        summary: 'Recommend for an entity or a session',
        description:
          'Returns one list per entity, or the list of a session. Steps, in this order: ranking, candidates, exclude and filters of request and rules, boosts, threshold, diversity, per_group, pinned, offset. diversity and pinned change the order, so scores can then increase with the rank.',
        tags: ['recommender'],
        body: RecommendRequest,
        response: { 200: RecommendationsAnswer },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.identity;
      const modelId = await chooseModelId(platform, organizationId, request.body.model_id);
      if (!rules.isRead) await rules.read();
      const held = await models.hold(organizationId, modelId);
      try {
        reply.header('x-model-version', held.version);
        const recommendationId = platform.random.uuid();
        const recording = answers.begin(organizationId);
        const text = writeLists(held, modelId, recommendationId, request.body, { rules: rules.of(organizationId, modelId, held), recording });
        answers.end(recording, { organizationId, recommendationId, modelId, modelVersion: held.version, request: { route: 'recommend', parameters: request.body } });
        return sendWhole(reply, 'json', text);
      } finally {
        held.release();
      }
    },
  );
}
