import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { hashRequest } from '@vouch/platform/http/idempotency';
import { typed } from '@vouch/platform/http/request';
import { isPublishable } from '@vouch/platform/keys/scopes';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { eraseUser } from '../erasure/eraseUser.ts';
import type { NewEvent } from './event.ts';
import { EntitiesRequest, EventsAnswer, InteractionsRequest, type Interaction } from './event.schema.ts';
import { EventWriter } from './eventWriter.ts';
import type { RecentEvents } from './recentEvents.ts';
import { warnOfRoles, type KnownRoles } from './warnOfRoles.ts';
import { deletionOf, parseEntities, parseInteractions, type EventOrigin } from './parseEvents.ts';

/** Maximum bytes of a request, for 1,000 events with 2 KB of metadata each. */
const maxBodyBytes = 2 * 2 ** 20;

const answers = { 202: EventsAnswer };
const durable = 'The answer is sent after the data is on the disk. Lists take the data into account within a second, without a training; trainings use it as part of a batch.';

/** Parts of the platform that the routes use. */
export type EventPlatform = Pick<Platform, 'clock' | 'database'>;

/** The models that answer at this moment. */
interface ModelsInUse {
  /** Returns those of an organization, which may be used only until the end of the current event loop turn. */
  peekAll(organizationId: string): { recommender: { model: KnownRoles } }[];
}

/**
 * POST /v1/recommender/interactions, POST /v1/recommender/entities and DELETE /v1/recommender/entities/{id}.
 * @param recent memory of the process that answers lists
 * @param models models whose roles and types events are compared with; null for none
 */
export function eventRoutes(server: FastifyInstance, platform: EventPlatform, recent: RecentEvents, models: ModelsInUse | null = null): void {
  const writer = new EventWriter(platform.database, platform.clock, recent);
  const scoped = typed(server);

  const origin = (request: FastifyRequest, tags: readonly string[] = []): EventOrigin => ({
    organizationId: request.identity.organizationId, tags, now: platform.clock.now(),
  });

  /** Adds what the open models say about events. A page does not learn which ids are users. */
  function withRoles({ identity }: FastifyRequest, events: readonly NewEvent[], answer: EventsAnswer): EventsAnswer {
    if (models === null || isPublishable(identity.scopes, 'data:write')) return answer;
    const found = warnOfRoles(events, models.peekAll(identity.organizationId).map(({ recommender }) => recommender.model));
    return found.length === 0 ? answer : { ...answer, warnings: [...(answer.warnings ?? []), ...found] };
  }

  async function store(request: FastifyRequest, reply: FastifyReply, events: readonly NewEvent[]): Promise<void> {
    if (request.headers['idempotency-key'] === undefined) return void reply.code(202).send(withRoles(request, events, await writer.write(request.identity.organizationId, events)));
    // A repeated request gets the first answer and stores nothing.
    let shows = (): void => {};
    await server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
      const { answer, show } = await writer.writeIn(transaction, events);
      shows = show;
      return { status: 202, body: withRoles(request, events, answer) };
    });
    shows();
  }

  scoped.post('/v1/recommender/interactions', {
    config: { scope: 'data:write', forPages: true, waitsTogether: true },
    bodyLimit: maxBodyBytes,
    schema: {
      operationId: 'addInteractions',
      summary: 'Record interactions',
      description: `Records interactions as they happen. ${durable} To send a request again safely, give each event an \`id\`, or send an Idempotency-Key.`,
      tags: ['recommender'], body: InteractionsRequest, response: answers,
    },
  }, (request, reply) => {
    const { interactions, tags } = request.body;
    if (isPublishable(request.identity.scopes, 'data:write')) requireOneVisitor(interactions);
    return store(request, reply, parseInteractions(interactions, origin(request, tags)));
  });

  scoped.post('/v1/recommender/entities', {
    config: { scope: 'data:write', waitsTogether: true },
    bodyLimit: maxBodyBytes,
    schema: {
      operationId: 'addEntities',
      summary: 'Add or change entities',
      description: `Adds entities, or replaces entities with the same id. ${durable} With \`available: false\`, no list contains the entity until it is sent with \`available: true\`.`,
      tags: ['recommender'], body: EntitiesRequest, response: answers,
    },
  }, (request, reply) => store(request, reply, parseEntities(request.body.entities, origin(request, request.body.tags))));

  scoped.delete('/v1/recommender/entities/:id', {
    config: { scope: 'data:write' },
    schema: {
      operationId: 'deleteEntity',
      summary: 'Delete an entity',
      description: 'From now on, no list contains the entity, whatever batches contain it, until POST /v1/recommender/entities adds it again. Interactions with the entity stay. What is recorded about a user is erased: recorded answers, and the id of the user in experiments. Deleting an unknown entity is not an error.',
      tags: ['recommender'],
      params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 1024, description: 'Id of the entity.' }) }),
      response: answers,
    },
  }, async (request, reply) => {
    const { params: { id }, identity: { organizationId } } = request;
    const answer = await writer.write(organizationId, [deletionOf(id, organizationId)]);
    await eraseUser(platform.database, organizationId, id);
    return reply.code(202).send(answer);
  });
}

/** Checks interactions from a web page, which has one visitor. @throws Problem publishable-key */
function requireOneVisitor(interactions: readonly Interaction[]): void {
  const at = interactions.findIndex(({ source_id: id }) => id !== interactions[0]?.source_id);
  if (at < 0) return;
  const detail = `With a publishable key, all interactions of a request have the same source_id; interactions 1 and ${at + 1} have different ones. Send one request for each visitor.`;
  throw platformErrors.problem('publishable-key', detail, { errors: [{ location: `/interactions/${at}/source_id`, detail }] });
}
