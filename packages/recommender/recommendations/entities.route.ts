import { linkNextPage, readCursor } from '@vouch/platform/http/page';
import { nextTurn, typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ModelReader } from '../engine/modelFile/openModel.ts';
import { filterTypes } from '../engine/query/listOptions.ts';
import { searchEntities } from '../engine/query/searchEntities.ts';
import { ModelParameters } from '../models/trainingStatus.route.ts';
import { EntitiesQuery, EntityRecord } from './entities.schema.ts';
import type { ModelCache } from './modelCache.ts';

/** GET /v1/recommender/{model_id}/entities: entities of the serving version by a part of their name or id. */
export function entitiesRoute(server: FastifyInstance, platform: Platform, models: ModelCache): void {
  typed(server).get('/v1/recommender/:model_id/entities', {
    config: { scope: 'recommend:read', problems: ['unknown-model', 'model-not-ready', 'storage-unavailable'] },
    schema: {
      operationId: 'listEntities',
      summary: 'Search the entities of a model',
      description: 'Finds the entities of the version that answers queries by a part of their name or id. Deleted and unavailable entities are left out. The header `Link` has the URL of the next page.',
      tags: ['recommender'],
      params: ModelParameters,
      querystring: EntitiesQuery,
      response: { 200: Type.Array(EntityRecord) },
    },
  }, async (request, reply) => {
    const { query: text = '', entity_type: types, limit, cursor } = request.query;
    const { model_id: modelId } = request.params;
    const from = readCursor(request, cursor) ?? 0;
    const held = await models.hold(request.identity.organizationId, modelId);
    try {
      const { model } = held.recommender;
      const search = { text, types: filterTypes(model, types), from, limit, hides: (node: number) => held.recommender.hidesNode(node) };
      const { nodes, next } = await searchEntities(model, search, () => nextTurn(request));
      if (next !== null) linkNextPage(request, reply, `${platform.publicUrl}/v1/recommender/${encodeURIComponent(modelId)}/entities`, next);
      return nodes.map((node) => toRecord(model, node));
    } finally {
      held.release();
    }
  });
}

function toRecord(model: ModelReader, node: number): EntityRecord {
  const { nodeItem, nodeUser, nodeType, degree, history, facts } = model;
  const [item, user] = [nodeItem[node] ?? -1, nodeUser[node] ?? -1];
  const interactions = item >= 0 ? (degree[item] ?? 0) : user >= 0 ? history.count(user) : 0;
  return {
    id: model.ids.get(node),
    type: facts.types[nodeType[node] ?? -1] ?? null,
    name: model.names.get(node) || null,
    media_url: model.mediaUrls.get(node) || null,
    role: item >= 0 ? 'item' : interactions > 0 ? 'user' : 'other',
    interactions,
  };
}
