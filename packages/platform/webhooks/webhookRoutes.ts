import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import { hashRequest } from '../http/idempotency.ts';
import { nullable } from '../http/nullable.ts';
import { typed } from '../http/request.ts';
import type { WebhookService } from './createWebhooks.ts';
import type { Attempt, Delivery } from './deliveryStore.ts';

const deliveryFields = {
  delivery_id: Type.String({ description: 'Sent as `webhook-id`; every attempt has the same id' }),
  type: Type.String({ description: 'e.g. `model.training.completed`' }),
  url: Type.String(),
  status: Type.String({ description: '`pending`, `delivered` or `given_up`' }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(Type.String({ description: 'Only while the delivery is pending' })),
  last_error: nullable(Type.String({ description: 'Why the last attempt failed' })),
  created_at: Type.String(),
  ended_at: nullable(Type.String()),
};

const deliveryExample = {
  delivery_id: 'msg_2f0e8a524f3c9d0e', type: 'model.training.completed', url: 'https://example.org/hooks/vouch', status: 'delivered', attempts: 1,
  next_attempt_at: null, last_error: null, created_at: '2026-03-02T09:31:04.900Z', ended_at: '2026-03-02T09:31:05.100Z',
};

const DeliveryRecord = Type.Object(deliveryFields, { title: 'Delivery', examples: [deliveryExample] });

const DeliveryDetail = Type.Object({
  ...deliveryFields,
  body: Type.String({ description: 'The JSON text that was signed and sent' }),
  attempt_list: Type.Array(Type.Object({
    number: Type.Integer(),
    started_at: Type.String(),
    duration_ms: Type.Integer(),
    answer_status: nullable(Type.Integer({ description: 'HTTP status; null without an answer' })),
    answer_body: nullable(Type.String({ description: 'First kilobyte of the answer' })),
    error: nullable(Type.String({ description: 'Null if the attempt succeeded' })),
  }), { description: 'The latest 100 attempts, in order of time' }),
}, {
  title: 'DeliveryDetail',
  examples: [{
    ...deliveryExample,
    body: '{"type":"model.training.completed","timestamp":"2026-03-02T09:31:04.900Z","data":{"model_id":"films","status":"completed"}}',
    attempt_list: [{ number: 1, started_at: '2026-03-02T09:31:04.950Z', duration_ms: 140, answer_status: 204, answer_body: '', error: null }],
  }],
});

const ById = Type.Object({ delivery_id: Type.String({ minLength: 1, maxLength: 64, description: 'Id of the delivery' }) });

/** Adds the routes with which an organization lists its callbacks and sends a callback again. */
export function addWebhookRoutes(server: FastifyInstance, webhooks: WebhookService): void {
  const routes = typed(server);
  const config = { scope: 'admin' } as const;
  const tags = ['webhooks'];

  routes.get('/v1/webhooks/deliveries', {
    config,
    schema: {
      operationId: 'listDeliveries',
      summary: 'List the callbacks of the organization',
      description: 'Newest first; the header `Link` with `rel="next"` leads to the next page.',
      tags,
      querystring: Type.Object({
        limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Maximum number of callbacks' }),
        cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: 'From the `Link` header of the previous page' })),
      }),
      response: { 200: Type.Array(DeliveryRecord) },
    },
  }, async (request, reply) => {
    const { limit, cursor } = request.query;
    const found = await webhooks.list(request.identity.organizationId, limit + 1, cursor ?? null);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (found.length > limit && last !== undefined) {
      reply.header('link', `</v1/webhooks/deliveries?limit=${limit}&cursor=${last.number}>; rel="next"`);
    }
    return page.map(toRecord);
  });

  routes.get('/v1/webhooks/deliveries/:delivery_id', {
    config: { ...config, problems: ['not-found'] },
    schema: { operationId: 'getDelivery', summary: 'Get a callback and its attempts', tags, params: ById, response: { 200: DeliveryDetail } },
  }, async (request, reply) => {
    const id = request.params.delivery_id;
    const found = await webhooks.get(request.identity.organizationId, id);
    if (found === null) throw unknown(id);
    return reply.send({ ...toRecord(found), body: found.body, attempt_list: found.attempt_list.map(toAttempt) });
  });

  routes.post('/v1/webhooks/deliveries/:delivery_id/redeliver', {
    config: { ...config, problems: ['not-found'] },
    schema: {
      operationId: 'redeliver',
      summary: 'Send a callback again',
      description: 'Sends the callback immediately and retries for another 24 hours. Also works for callbacks that were delivered or given up.',
      tags,
      params: ById,
      response: { 202: DeliveryRecord },
    },
  }, async (request, reply) => {
    await server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
      const id = request.params.delivery_id;
      const found = await webhooks.redeliver(request.identity.organizationId, id, transaction);
      if (found === null) throw unknown(id);
      return { status: 202, body: toRecord(found) };
    });
    return reply;
  });
}

function unknown(id: string): Problem {
  return platformErrors.problem('not-found',
    `No delivery has the id ${JSON.stringify(id)}. GET /v1/webhooks/deliveries lists the deliveries of your organization.`);
}

function toRecord(delivery: Delivery) {
  return {
    delivery_id: delivery.id,
    type: delivery.type,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: delivery.next_attempt_at?.toISOString() ?? null,
    last_error: delivery.last_error,
    created_at: delivery.created_at.toISOString(),
    ended_at: delivery.ended_at?.toISOString() ?? null,
  };
}

function toAttempt(attempt: Attempt) {
  return { ...attempt, started_at: attempt.started_at.toISOString() };
}
