import { nextTurn, typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Recommender } from '../engine/query/recommender.ts';
import { chooseModelOrArm } from './chooseModelId.ts';
import type { ExperimentAnswers } from './experimentAnswers.ts';
import { explainPair, type PairQuery } from './explanation/explainPair.ts';
import { ExplainAnswer, ExplainQuery, ExplainSessionRequest } from './explanation.schema.ts';
import { findSources } from './findSources.ts';
import { readListRequest } from './readListRequest.ts';
import { requireUser } from './requireUser.ts';
import type { ListServing } from './serving.ts';
import { rulesMember } from './writeAnswer.ts';

const problems = ['unknown-model', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] as const;

/** A request for an explanation. */
interface Asked {
  /** Id of a model or of an experiment. */
  modelId: string | undefined;
  /** Entities that the list is for; null for trending items. */
  users: readonly string[] | null;
  /** Makes the query for the opened model. */
  queryOf(recommender: Recommender): PairQuery;
}

/**
 * GET and POST /v1/recommender/explain.
 * @param experiments arms for the ids of experiments; null if there are none
 */
export function explainRoute(server: FastifyInstance, platform: Platform, { models, rules }: Pick<ListServing, 'models' | 'rules'>, experiments: ExperimentAnswers | null = null): void {
  /** Explains a pair of the given model, or of the model of the user's arm. */
  async function explain(request: FastifyRequest, reply: FastifyReply, { modelId: given, users, queryOf }: Asked) {
    const { organizationId } = request.identity;
    const { modelId, arm } = await chooseModelOrArm(platform, experiments, organizationId, given, users);
    if (!rules.isRead) await rules.read();
    const held = await models.hold(organizationId, modelId);
    try {
      reply.header('x-model-version', held.version);
      if (arm !== null) requireUser(held.recommender, findSources(held.recommender, users ?? []).listed[0], arm.experiment);
      const asked = { ...queryOf(held.recommender), model_id: modelId };
      const query = arm?.apply(asked) ?? asked;
      const applied = rules.of(organizationId, modelId, held, arm?.trial);
      const explanation = await explainPair(held.recommender, query, () => nextTurn(request), applied);
      return { model_id: modelId, model_version: held.version, ...(arm === null ? {} : { experiment: arm.experiment }), ...rulesMember(applied), source_id: query.source_id ?? null, target_id: query.target_id, ...explanation };
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
  }, (request, reply) => {
    const { model_id: modelId, source_id: source } = request.query;
    return explain(request, reply, { modelId, users: source === undefined ? null : [source], queryOf: () => request.query });
  });

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
    const queryOf = (recommender: Recommender): PairQuery => {
      const { lists } = readListRequest(recommender, { history, ...(source === undefined ? {} : { entity_id: source }) });
      return { ...query, ...(source === undefined ? {} : { source_id: source }), session: lists[0]?.history ?? recommender.historyOf(null) };
    };
    return explain(request, reply, { modelId, users: source === undefined ? [] : [source], queryOf });
  });
}
