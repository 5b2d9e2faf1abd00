import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Recommender } from '../engine/query/recommender.ts';
import { chooseModelId } from './chooseModelId.ts';
import { explainPair, type PairQuery } from './explanation/explainPair.ts';
import { ExplainAnswer, ExplainQuery, ExplainSessionRequest } from './explanation.schema.ts';
import { readListRequest } from './readListRequest.ts';
import type { ListServing } from './serving.ts';
import { rulesMember } from './writeAnswer.ts';
import { yieldToOthers } from './yieldToOthers.ts';

const problems = ['unknown-model', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] as const;

/** GET and POST /v1/recommender/explain. */
export function explainRoute(server: FastifyInstance, platform: Platform, { models, rules }: Pick<ListServing, 'models' | 'rules'>): void {
  /** Explains a pair of the given model. @param queryOf makes the query for the opened model */
  async function explain(request: FastifyRequest, reply: FastifyReply, given: string | undefined, queryOf: (recommender: Recommender) => PairQuery) {
    const { organizationId } = request.identity;
    const modelId = await chooseModelId(platform, organizationId, given);
    if (!rules.isRead) await rules.read();
    const held = await models.hold(organizationId, modelId);
    try {
      reply.header('x-model-version', held.version);
      const query = queryOf(held.recommender);
      const applied = rules.of(organizationId, modelId, held);
      const explanation = await explainPair(held.recommender, query, yieldToOthers, applied);
      return { model_id: modelId, model_version: held.version, ...rulesMember(applied), source_id: query.source_id ?? null, target_id: query.target_id, ...explanation };
    } finally {
      held.release();
    }
  }

  typed(server).get('/v1/recommender/explain', {
    config: { scope: 'recommend:read', problems: [...problems] },
    schema: {
      operationId: 'explain',
      summary: 'Why a list has an item, or why not',
      description:
        'For the list that related_items (without source_id: trending_items) returns with the same parameters: the rank of an item with its reasons, or every cause of its absence.',
      tags: ['recommender'],
      querystring: ExplainQuery,
      response: { 200: ExplainAnswer },
    },
  }, (request, reply) => explain(request, reply, request.query.model_id, () => request.query));

  typed(server).post('/v1/recommender/explain', {
    config: { scope: 'recommend:read', problems: [...problems] },
    schema: {
      operationId: 'explainSession',
      summary: 'Why the list of a session has an item, or why not',
      description: 'For the list that recommend returns for the same history: the rank of an item with its reasons, or every cause of its absence.',
      tags: ['recommender'],
      body: ExplainSessionRequest,
      response: { 200: ExplainAnswer },
    },
  }, (request, reply) => {
    const { model_id: modelId, history, entity_id: source, ...query } = request.body;
    return explain(request, reply, modelId, (recommender) => {
      const { lists } = readListRequest(recommender, { history, ...(source === undefined ? {} : { entity_id: source }) });
      return { ...query, ...(source === undefined ? {} : { source_id: source }), session: lists[0]?.history ?? recommender.historyOf(null) };
    });
  });
}
