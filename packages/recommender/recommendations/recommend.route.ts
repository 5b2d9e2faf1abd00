import type { Identity } from '@vouch/platform/keys/identity';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { answerLists } from './answerLists.ts';
import { chooseModelId } from './chooseModelId.ts';
import type { ExperimentAnswers } from './experimentAnswers.ts';
import { RecommendationsAnswer } from './recommendation.schema.ts';
import { asksForItemsOnly, refuseFields } from './publishableKey.ts';
import { RecommendRequest, type ListsBody } from './recommendRequest.schema.ts';
import { sendWhole } from './sendAnswer.ts';
import type { ListServing } from './serving.ts';

/**
 * POST /v1/recommender/recommend.
 * @param experiments answers for the ids of experiments; null if there are none
 */
export function recommendRoute(server: FastifyInstance, platform: Platform, serving: ListServing, experiments: ExperimentAnswers | null = null): void {
  typed(server).post(
    '/v1/recommender/recommend',
    {
      config: { scope: 'recommend:read', forPages: true, problems: ['unknown-model', 'unknown-entity', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
      schema: {
        operationId: 'recommend',
        summary: 'Recommend for an entity or a session',
        description:
          'Returns one list per entity, or the list of a session. Steps, in this order: ranking, candidates, exclude and filters of request and rules, boosts, threshold, diversity, per_group, pinned, offset. diversity and pinned change the order, so scores can then increase with the rank. With the id of an experiment as model_id, the arm of the user answers.',
        tags: ['recommender'],
        body: RecommendRequest,
        response: { 200: RecommendationsAnswer },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.identity;
      const body = limitBody(request.identity, request.body);
      const tried = body.model_id === undefined ? null : await experiments?.answer(organizationId, body.model_id, body);
      const { text, version } = tried ?? await answerLists(platform, serving, { organizationId, modelId: await chooseModelId(platform, organizationId, body.model_id), body });
      reply.header('x-model-version', version);
      return sendWhole(reply, 'json', text);
    },
  );
}

/** Applies the limits of a publishable key. @throws Problem publishable-key */
function limitBody(identity: Identity, body: RecommendRequest): ListsBody {
  if (!asksForItemsOnly(identity)) return body;
  refuseFields(body, ['filter', 'boost', 'per_group', 'explain'], '/');
  return { ...body, items_only: true };
}
