import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { chooseModelId } from './chooseModelId.ts';
import { explainPair } from './explanation/explainPair.ts';
import { ExplainAnswer, ExplainQuery } from './explanation.schema.ts';
import type { ModelCache } from './modelCache.ts';

/** GET /v1/recommender/explain. */
export function explainRoute(server: FastifyInstance, platform: Platform, models: ModelCache): void {
  typed(server).get(
    '/v1/recommender/explain',
    {
      config: { scope: 'recommend:read', problems: ['unknown-model', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
      schema: {
        operationId: 'explain',
        summary: 'Why a list has an item, or why not',
        description:
          'For the list that related_items (without source_id: trending_items) returns with the same parameters: the rank of an item with its reasons, or every cause of its absence.',
        tags: ['recommender'],
        querystring: ExplainQuery,
        response: { 200: ExplainAnswer },
      },
    },
    async (request, reply) => {
      const { query, identity } = request;
      const modelId = await chooseModelId(platform, identity.organizationId, query.model_id);
      const held = await models.hold(identity.organizationId, modelId);
      try {
        reply.header('x-model-version', held.version);
        const explanation = await explainPair(held.recommender, query, () => new Promise((resolve) => setImmediate(resolve)));
        return { model_id: modelId, model_version: held.version, source_id: query.source_id ?? null, target_id: query.target_id, ...explanation };
      } finally {
        held.release();
      }
    },
  );
}
