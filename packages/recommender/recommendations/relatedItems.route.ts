import { finished } from 'node:stream';
import { typed } from '@vouch/platform/http/request';
import { streamText } from '@vouch/platform/http/stream';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { filterTypes, type ListOptions } from '../engine/query/listOptions.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import { recommenderErrors } from '../errors.ts';
import type { ModelCache } from './modelCache.ts';
import { RelatedItemsQuery } from './recommendation.schema.ts';
import { answerContent, contentType, sendWhole } from './sendAnswer.ts';
import { recommendationsObject, relatedAsCsv, relatedAsJson } from './writeAnswer.ts';

/** Up to this many sources are answered in one piece; more are streamed. */
const sourcesAtOnce = 8;

interface Sources {
  /** Null: every node of `types`, or of all types. */
  nodes: number[] | null;
  unknown: string[];
}

/** GET /v1/recommender/related_items. */
export function relatedItemsRoute(server: FastifyInstance, platform: Platform, models: ModelCache): void {
  typed(server).get(
    '/v1/recommender/related_items',
    {
      config: { scope: 'recommend:read' },
      schema: {
        summary: 'Related items of entities',
        description:
          'For an item its related items; for any other entity (a user) items for its history. Without entity_id: every entity, streamed.',
        tags: ['recommender'],
        querystring: RelatedItemsQuery,
        response: answerContent,
      },
    },
    async (request, reply) => {
      const { query } = request;
      const held = await models.hold(request.identity.organizationId, query.model_id);
      let streaming = false;
      try {
        const { recommender } = held;
        const sources = findSources(recommender, query.entity_id);
        const options: ListOptions = {
          types: filterTypes(recommender.model, query.entity_type),
          limit: query.max_recommendations ?? 100,
          threshold: query.threshold ?? 0,
        };
        if (sources.unknown.length > 0) reply.header('x-unknown-entity-count', sources.unknown.length);
        reply.header('x-model-version', held.version);
        const nodes = sources.nodes ?? nodesOf(recommender, query.source_type);
        const pieces =
          query.output_format === 'json'
            ? recommendationsObject(
                {
                  recommendation_id: platform.random.uuid(),
                  model_id: query.model_id,
                  model_version: held.version,
                  unknown_ids: sources.unknown,
                },
                relatedAsJson(recommender, nodes, options),
              )
            : relatedAsCsv(recommender, nodes, options);
        if (sources.nodes !== null && sources.nodes.length <= sourcesAtOnce) return sendWhole(reply, query.output_format, pieces);
        streaming = true;
        // Not the event `close`: a client that left while the model was opened has had it already.
        finished(reply.raw, () => held.release());
        return streamText(reply, contentType(query.output_format), () => pieces);
      } finally {
        if (!streaming) held.release();
      }
    },
  );
}

/** @throws Problem `unknown-entity` where every id is unknown */
function findSources(recommender: Recommender, ids: readonly string[] | undefined): Sources {
  if (ids === undefined || ids.length === 0) return { nodes: null, unknown: [] };
  const nodes: number[] = [];
  const unknown: string[] = [];
  for (const id of ids) {
    const node = recommender.model.findNode(id);
    if (node < 0) unknown.push(id);
    else nodes.push(node);
  }
  if (nodes.length === 0) {
    const shown = unknown.slice(0, 5).map((id) => JSON.stringify(id.slice(0, 100)));
    throw recommenderErrors.problem(
      'unknown-entity',
      `The model knows none of the ${unknown.length} ids in entity_id (${shown.join(', ')}${unknown.length > 5 ? ', …' : ''}). ` +
        'Upload them as entities or in interactions and train again, or check their spelling.',
    );
  }
  return { nodes, unknown };
}

function* nodesOf(recommender: Recommender, sourceTypes: readonly string[] | undefined): Generator<number> {
  const { nodeType } = recommender.model;
  const filter = filterTypes(recommender.model, sourceTypes);
  for (let node = 0; node < nodeType.length; node += 1) {
    if (filter === null || filter[(nodeType[node] ?? -1) + 1] === 1) yield node;
  }
}
