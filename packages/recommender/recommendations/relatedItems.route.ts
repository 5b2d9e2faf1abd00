import { finished } from 'node:stream';
import { typed } from '@vouch/platform/http/request';
import { streamText } from '@vouch/platform/http/stream';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { relatedLimit } from '../engine/neighbours/relatedLists.ts';
import { filterTypes } from '../engine/query/listOptions.ts';
import type { Recommender } from '../engine/query/recommender.ts';
import type { HeldModel, ModelCache, OpenModel } from './modelCache.ts';
import { findSources } from './findSources.ts';
import { RelatedItemsQuery } from './recommendation.schema.ts';
import { answerContent, contentType, sendWhole } from './sendAnswer.ts';
import { answerOptions, recommendationsObject, relatedAsCsv, relatedAsJson, relatedAsPlainJson, relatedAsWholeCsv, type AnswerHead, type CsvForm } from './writeAnswer.ts';

/** Maximum number of sources for an answer in one piece; answers for more sources are streamed. */
const sourcesAtOnce = 8;

type Query = Static<typeof RelatedItemsQuery>;

/** GET /v1/recommender/related_items. */
export function relatedItemsRoute(server: FastifyInstance, platform: Platform, models: ModelCache): void {
  typed(server).get(
    '/v1/recommender/related_items',
    {
      config: { scope: 'recommend:read', problems: ['unknown-model', 'unknown-entity', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
      schema: {
        operationId: 'relatedItems',
        summary: 'Related items of entities',
        description:
          'For an item, returns its related items; for any other entity (a user), items based on its history; with unknown=trending, trending items for an id that the model does not know. Without entity_id, streams the lists of all entities, in JSON without reasons unless explain is true.',
        tags: ['recommender'],
        querystring: RelatedItemsQuery,
        response: answerContent,
      },
    },
    (request, reply) => {
      const { query, identity } = request;
      // The common case: answered synchronously, without a promise or another event loop turn.
      const open = isShort(query) ? models.peek(identity.organizationId, query.model_id) : null;
      if (open !== null) sendLists(open, query, reply);
      else void holdAndSend(identity.organizationId, query, reply);
    },
  );

  async function holdAndSend(organizationId: string, query: Query, reply: FastifyReply): Promise<void> {
    let held: HeldModel | null = null;
    try {
      held = await models.hold(organizationId, query.model_id);
      const { release } = held;
      if (isShort(query)) return void sendLists(held, query, reply);
      const pieces = listPieces(held, query, reply);
      held = null;
      // Not the event `close`: if a client disconnected while the model was being opened, `close` has already fired.
      finished(reply.raw, release);
      streamText(reply, contentType(query.output_format), () => pieces);
    } catch (fault) {
      reply.send(fault);
    } finally {
      held?.release();
    }
  }

  /** Sends the lists of a few entities in one piece. */
  function sendLists(model: OpenModel, query: Query, reply: FastifyReply): FastifyReply {
    const { recommender } = model;
    const sources = findSources(recommender, query.entity_id ?? [], query.unknown);
    writeHeaders(reply, model, sources);
    const options = answerOptions(recommender, query);
    if (query.output_format !== 'json') return sendWhole(reply, 'csv', relatedAsWholeCsv(recommender, sources.listed, options, csvForm(query)));
    const lists = (query.explain ?? true ? relatedAsJson : relatedAsPlainJson)(recommender, sources.listed, options);
    return sendWhole(reply, 'json', [...recommendationsObject(head(model, query, sources), lists)].join(''));
  }

  /** Yields the lists of many or all entities, piece by piece. */
  function listPieces(model: OpenModel, query: Query, reply: FastifyReply): Iterable<string | Buffer> {
    const { recommender } = model;
    const given = query.entity_id ?? [];
    const sources = given.length === 0 ? { listed: nodesOf(recommender, query.source_type), unknown: [] } : findSources(recommender, given, query.unknown);
    writeHeaders(reply, model, sources);
    const options = answerOptions(recommender, query);
    if (query.output_format !== 'json') return relatedAsCsv(recommender, sources.listed, options, csvForm(query));
    const asJson = query.explain ?? given.length > 0 ? relatedAsJson : relatedAsPlainJson;
    return recommendationsObject(head(model, query, sources), asJson(recommender, sources.listed, options));
  }

  function head(model: OpenModel, query: Query, { unknown }: { unknown: string[] }): AnswerHead {
    return {
      recommendation_id: platform.random.uuid(), model_id: query.model_id, model_version: model.version, kept_per_type: relatedLimit, unknown_ids: unknown,
    };
  }
}

function isShort({ entity_id: ids = [] }: Query): boolean {
  return ids.length > 0 && ids.length <= sourcesAtOnce;
}

function writeHeaders(reply: FastifyReply, { version }: OpenModel, { unknown }: { unknown: string[] }): void {
  if (unknown.length > 0) reply.header('x-unknown-entity-count', unknown.length);
  reply.header('x-model-version', version);
  reply.header('x-kept-per-type', relatedLimit);
}

function csvForm({ csv_safe: safe = false }: Query): CsvForm {
  return { safe };
}

function* nodesOf(recommender: Recommender, sourceTypes: readonly string[] | undefined): Generator<number> {
  const { nodeType } = recommender.model;
  const filter = filterTypes(recommender.model, sourceTypes);
  for (let node = 0; node < nodeType.length; node += 1) {
    if (filter === null || filter[(nodeType[node] ?? -1) + 1] === 1) yield node;
  }
}
