import { finished } from 'node:stream';
import { typed } from '@vouch/platform/http/request';
import { streamText } from '@vouch/platform/http/stream';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { relatedLimit } from '../engine/neighbours/relatedLists.ts';
import { filterTypes } from '../engine/query/listOptions.ts';
import type { Recommender, Source } from '../engine/query/recommender.ts';
import { csvHeader } from '../engine/query/csvRows.ts';
import { warningsMember } from './answerWarnings.ts';
import type { ChosenArm, ExperimentAnswers } from './experimentAnswers.ts';
import type { HeldModel, OpenModel } from './modelCache.ts';
import { findItems, findSources } from './findSources.ts';
import { RelatedItemsQuery } from './recommendation.schema.ts';
import { asksForItemsOnly, refuseFields, refuseUse } from './publishableKey.ts';
import { requireUser } from './requireUser.ts';
import { answerContent, contentType, sendWhole } from './sendAnswer.ts';
import type { ListServing } from './serving.ts';
import { unknownTypesMember } from './unknownTypes.ts';
import { answerOptions, exportAsPlainJson, recommendationsObject, rulesMember, relatedAsCsv, relatedAsJson, relatedAsPlainJson, relatedAsWholeCsv, type AnswerHead, type CsvForm } from './writeAnswer.ts';
import type { RuleSet } from './steering/ruleSet.ts';

/** Maximum number of sources for an answer in one piece; answers for more sources are streamed. */
const sourcesAtOnce = 8;

type Query = Static<typeof RelatedItemsQuery>;

/** A request, and how it is answered. */
interface Asked {
  organizationId: string;
  query: Query;
  /** Whether users count as unknown, and entries have no reasons. */
  itemsOnly: boolean;
  /** The arm that answers; null without an experiment. */
  arm: ChosenArm | null;
}

/** What was found in a request: ids that the model does not know, and warnings. */
interface Found extends Pick<AnswerHead, 'warnings'> {
  unknown: string[];
}

/**
 * GET /v1/recommender/related_items.
 * @param experiments answers for the ids of experiments; null if there are none
 */
export function relatedItemsRoute(server: FastifyInstance, platform: Platform, { models, rules, answers }: ListServing, experiments: ExperimentAnswers | null = null): void {
  typed(server).get(
    '/v1/recommender/related_items',
    {
      config: { scope: 'recommend:read', forPages: true, problems: ['unknown-model', 'unknown-entity', 'model-not-ready', 'storage-unavailable', 'invalid-expression', 'expression-too-expensive'] },
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
      const { organizationId } = identity;
      const itemsOnly = asksForItemsOnly(identity);
      if (itemsOnly) limitQuery(query);
      // The common case: answered synchronously, without a promise or another event loop turn.
      const open = isShort(query) && rules.isRead ? models.peek(organizationId, query.model_id) : null;
      if (open !== null) sendLists({ organizationId, query, itemsOnly, arm: null }, open, reply);
      else void holdAndSend({ organizationId, query, itemsOnly }, reply);
    },
  );

  async function holdAndSend({ organizationId, query: given, itemsOnly }: Omit<Asked, 'arm'>, reply: FastifyReply): Promise<void> {
    let held: HeldModel | null = null;
    try {
      if (!rules.isRead) await rules.read();
      const arm = (await experiments?.choose(organizationId, given.model_id, given.entity_id ?? [])) ?? null;
      const query = arm === null ? given : arm.apply(given);
      held = await models.hold(organizationId, query.model_id);
      const { release } = held;
      if (isShort(query)) return void sendLists({ organizationId, query, itemsOnly, arm }, held, reply);
      const pieces = listPieces({ organizationId, query, itemsOnly }, held, reply);
      held = null;
      // Not the event `close`: if a client disconnected while the model was being opened, `close` has already fired.
      finished(reply.raw, release);
      streamText(reply, contentType(query.output_format), (_signal, pendingBytes) => pieces(pendingBytes));
    } catch (fault) {
      reply.send(fault);
    } finally {
      held?.release();
    }
  }

  /** Sends the lists of a few entities in one piece. */
  function sendLists({ organizationId, query, itemsOnly, arm }: Asked, model: OpenModel, reply: FastifyReply): FastifyReply {
    const { recommender, version: modelVersion } = model;
    const { model_id: modelId } = query;
    const sources = listedSources(recommender, query, itemsOnly);
    if (arm !== null) requireUser(recommender, sources.listed[0], arm.experiment);
    // The filter of an arm is not for pages.
    const warned = itemsOnly ? {} : warningsMember(recommender.model, query.filter);
    writeHeaders(reply, model, query, { ...sources, ...warned });
    const applied = rules.of(organizationId, modelId, model, arm?.trial);
    const recording = answers.begin(organizationId);
    const options = { ...answerOptions(recommender, query, applied), recording };
    const recommendationId = query.output_format === 'json' ? platform.random.uuid() : null;
    let body: Buffer | string;
    if (recommendationId === null) body = relatedAsWholeCsv(recommender, sources.listed, options, csvForm(query));
    else {
      const lists = (query.explain ?? !itemsOnly ? relatedAsJson : relatedAsPlainJson)(recommender, sources.listed, options);
      body = [...recommendationsObject(head(recommendationId, model, query, { ...sources, ...warned, applied, arm }), lists)].join('');
    }
    if (arm !== null) recordArm(arm, query, body, reply);
    answers.end(recording, { organizationId, recommendationId, modelId, modelVersion, request: { route: 'related_items', parameters: query } });
    return sendWhole(reply, query.output_format, body);
  }

  /** Returns what yields the lists of many or all entities, piece by piece. */
  function listPieces({ organizationId, query, itemsOnly }: Omit<Asked, 'arm'>, model: OpenModel, reply: FastifyReply): (pendingBytes: () => number) => Iterable<string | Buffer> {
    const { recommender } = model;
    const given = query.entity_id ?? [];
    const sources = given.length === 0 ? { listed: nodesOf(recommender, query.source_type), unknown: [] } : listedSources(recommender, query, itemsOnly);
    const warned = itemsOnly ? {} : warningsMember(recommender.model, query.filter);
    writeHeaders(reply, model, query, { ...sources, ...warned });
    const applied = rules.of(organizationId, query.model_id, model);
    const options = answerOptions(recommender, query, applied);
    if (query.output_format !== 'json') return (pendingBytes) => relatedAsCsv(recommender, sources.listed, options, csvForm(query), pendingBytes);
    const asJson = query.explain ?? (given.length > 0 && !itemsOnly) ? relatedAsJson : exportAsPlainJson;
    const answer = head(platform.random.uuid(), model, query, { ...sources, ...warned, applied, arm: null });
    return (pendingBytes) => recommendationsObject(answer, asJson(recommender, sources.listed, options, pendingBytes));
  }
}

/** Checks a query with a publishable key. @throws Problem publishable-key */
function limitQuery(query: Query): void {
  refuseFields(query, ['filter', 'boost', 'explain'], 'query:');
  if (query.entity_id === undefined) throw refuseUse('A publishable key may not read the lists of all entities. Name the items in entity_id.', 'query:entity_id');
  if (query.unknown === 'trending') throw refuseUse('A publishable key may not use unknown=trending here. GET /v1/recommender/trending_items returns trending items.', 'query:unknown');
}

function listedSources(recommender: Recommender, { entity_id: ids = [], unknown }: Query, itemsOnly: boolean): { listed: Source[]; unknown: string[] } {
  if (!itemsOnly) return findSources(recommender, ids, unknown);
  const items = findItems(recommender, ids);
  return { listed: items.listed.flatMap((node) => node ?? []), unknown: items.unknown };
}

function recordArm({ experiment, record }: ChosenArm, query: Query, body: Buffer | string, reply: FastifyReply): void {
  if (experiment.arm !== null) reply.header('x-experiment-arm', experiment.arm);
  record(query, typeof body === 'string' ? body.endsWith('"recommendations":[]}') : body.length === csvHeader.length);
}

function head(
  recommendationId: string, model: OpenModel, query: Query, { unknown, warnings, applied, arm }: Found & { applied: RuleSet | null; arm: ChosenArm | null },
): AnswerHead {
  return {
    recommendation_id: recommendationId, model_id: query.model_id, model_version: model.version, ...(arm === null ? {} : { experiment: arm.experiment }), kept_per_type: relatedLimit, ...rulesMember(applied), unknown_ids: unknown, ...unknownTypes(model, query), ...(warnings === undefined ? {} : { warnings }),
  };
}

function isShort({ entity_id: ids = [] }: Query): boolean {
  return ids.length > 0 && ids.length <= sourcesAtOnce;
}

function unknownTypes({ recommender }: OpenModel, { entity_type: types = [], source_type: sourceTypes = [] }: Query): { unknown_types?: string[] } {
  return unknownTypesMember(recommender.model, [...types, ...sourceTypes]);
}

function writeHeaders(reply: FastifyReply, model: OpenModel, query: Query, { unknown, warnings = [] }: Found): void {
  if (unknown.length > 0) reply.header('x-unknown-entity-count', unknown.length);
  const { unknown_types: types = [] } = unknownTypes(model, query);
  if (types.length > 0) reply.header('x-unknown-type-count', types.length);
  if (warnings.length > 0) reply.header('x-warning-count', warnings.length);
  reply.header('x-model-version', model.version);
  reply.header('x-kept-per-type', relatedLimit);
}

function csvForm({ csv_safe: safe = false }: Query): CsvForm {
  return { safe };
}

function* nodesOf(recommender: Recommender, sourceTypes: readonly string[] | undefined): Generator<number> {
  const { nodeType, nodeItem, added } = recommender.model;
  const filter = filterTypes(recommender.model, sourceTypes);
  for (let node = 0; node < nodeType.length; node += 1) {
    if (added !== null && node >= added.firstNode && recommender.hides(nodeItem[node] ?? -1)) continue;
    if (filter === null || filter[(nodeType[node] ?? -1) + 1] === 1) yield node;
  }
}
