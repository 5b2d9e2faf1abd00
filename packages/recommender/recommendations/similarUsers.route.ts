import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import type { Recommender } from '../engine/query/recommender.ts';
import { similarUsers } from '../engine/query/similarUsers.ts';
import { chooseModelOrArm } from './chooseModelId.ts';
import type { ExperimentAnswers } from './experimentAnswers.ts';
import { findSources } from './findSources.ts';
import type { ModelCache } from './modelCache.ts';
import { defaultLimit, SimilarUsersAnswer, SimilarUsersQuery } from './similarUsers.schema.ts';

/**
 * GET /v1/recommender/similar_users.
 * @param experiments arms for the ids of experiments; null if there are none
 */
export function similarUsersRoute(server: FastifyInstance, platform: Platform, models: ModelCache, experiments: ExperimentAnswers | null = null): void {
  typed(server).get('/v1/recommender/similar_users', {
    config: { scope: 'recommend:read', problems: ['unknown-model', 'unknown-entity', 'model-not-ready', 'storage-unavailable'] },
    schema: {
      operationId: 'similarUsers',
      summary: 'Users with similar histories',
      description: 'Returns the users of the training who have the most items in common with a user, rare items first. The history of the given user includes events since the training. Deleted and unavailable users are left out.',
      tags: ['recommender'],
      querystring: SimilarUsersQuery,
      response: { 200: SimilarUsersAnswer },
    },
  }, async (request, reply) => {
    const { entity_id: id, max_recommendations: limit = defaultLimit, model_id: given } = request.query;
    const { organizationId } = request.identity;
    const { modelId } = await chooseModelOrArm(platform, experiments, organizationId, given, [id]);
    const held = await models.hold(organizationId, modelId);
    try {
      reply.header('x-model-version', held.version);
      return { model_id: modelId, model_version: held.version, source_id: id, similar_users: listUsers(held.recommender, id, limit) };
    } finally {
      held.release();
    }
  });
}

/** @throws Problem unknown-entity; invalid-parameter for an entity without a history */
function listUsers(recommender: Recommender, id: string, limit: number): SimilarUsersAnswer['similar_users'] {
  const { model, recent } = recommender;
  const source = findSources(recommender, [id], 'none').listed[0] ?? id;
  const history = recommender.historyOf(source);
  if (history.items.length === 0) {
    const detail = `entity_id is ${JSON.stringify(id.slice(0, 100))}, which has no interactions of its own, so no user is similar. GET /v1/recommender/related_items returns the related items of an item.`;
    throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: 'query:entity_id', detail }] });
  }
  const found = similarUsers(model, history, { own: typeof source === 'number' ? source : -1, limit, leavesOut: (each) => recent?.isHidden(each) ?? false });
  return found.map(({ node, score, count, ids, text }, at) => ({
    id: model.ids.get(node), type: model.facts.types[model.nodeType[node] ?? -1] ?? null, name: model.names.get(node) || null,
    rank: at + 1, score: Math.round(score * 1e6) / 1e6, shared_items: count, ids, text,
  }));
}
