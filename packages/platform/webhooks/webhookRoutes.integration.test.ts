import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { createOutbound } from '../outbound/createOutbound.ts';
import { createServer } from '../http/server.ts';
import { isScope } from '../keys/scopes.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { createWebhooks, type WebhookService } from './createWebhooks.ts';
import { addWebhookRoutes } from './webhookRoutes.ts';

const log = createLogger('silent');
let database: TestDatabase;
let webhooks: WebhookService;
let server: FastifyInstance;

beforeAll(async () => {
  database = await openTestDatabase();
  const outbound = createOutbound({ allowPrivateAddresses: false }, systemInterfaces.timers);
  webhooks = createWebhooks({ database, outbound, system: systemInterfaces, log });
  server = await createServer({
    system: systemInterfaces, log, database, metrics: new Registry(), publicUrl: 'http://127.0.0.1', version: '0.0.0',
    // The key is `<organization>:<scope>`.
    authenticate: async (key) => ({ organizationId: key.split(':')[0] ?? '', keyId: key, scopes: key.split(':').slice(1).filter(isScope) }),
    rateLimitPerMinute: 0, readiness: [], errors: [], routes: [(scope) => addWebhookRoutes(scope, webhooks)],
    limits: { maxEventLoopDelayMs: 0 },
  });
});
afterAll(async () => {
  await server.close();
  await database.close();
});

function call(method: 'GET' | 'POST', url: string, apikey = 'org:admin', headers: Record<string, string> = {}) {
  return server.inject({ method, url, headers: { apikey, ...headers } });
}

async function enqueue(organizationId: string): Promise<string> {
  return database.transaction((transaction) => webhooks.enqueue(transaction, {
    organizationId, url: 'https://receiver.example/hook', type: 'model.training.error', data: { model_id: 'm' },
  }));
}

it('an organization lists, reads and sends again its own callbacks with the scope admin', async () => {
  const ids = [await enqueue('org'), await enqueue('org'), await enqueue('org')].toReversed();
  await enqueue('another');
  const first = await call('GET', '/v1/webhooks/deliveries?limit=2');
  expect(first.statusCode).toBe(200);
  const next = /^<([^>]+)>; rel="next"$/.exec(String(first.headers['link']))?.[1] ?? '';
  const second = await call('GET', next);
  expect(second.headers['link']).toBeUndefined();
  const records = [...first.json(), ...second.json()] as { delivery_id: string }[];
  expect(records.map(({ delivery_id }) => delivery_id)).toEqual(ids);
  expect(records[0]).toMatchObject({
    type: 'model.training.error', url: 'https://receiver.example/hook', status: 'pending', attempts: 0, last_error: null, ended_at: null,
  });

  const one = await call('GET', `/v1/webhooks/deliveries/${ids[0]}`);
  expect(one.json()).toMatchObject({ delivery_id: ids[0], attempt_list: [] });
  expect(JSON.parse(one.json().body)).toMatchObject({ type: 'model.training.error', data: { model_id: 'm' } });

  await database.query(
    `UPDATE webhook_deliveries SET status = 'given_up', next_attempt_at = NULL, ended_at = now() WHERE id = $1`, [ids[0]]);
  for (const replayed of [undefined, 'true']) {
    const again = await call('POST', `/v1/webhooks/deliveries/${ids[0]}/redeliver`, 'org:admin', { 'idempotency-key': 'once' });
    expect(again.statusCode).toBe(202);
    expect(again.json()).toMatchObject({ delivery_id: ids[0], status: 'pending' });
    expect(again.headers['idempotency-replayed']).toBe(replayed);
  }
});

it('another organization, another scope and unknown ids are refused alike', async () => {
  const id = await enqueue('org');
  for (const [method, path] of [['GET', ''], ['POST', '/redeliver']] as const) {
    for (const [key, wanted] of [['another:admin', id], ['org:admin', 'nothing'], ['org:admin', crypto.randomUUID()]] as const) {
      const answer = await call(method, `/v1/webhooks/deliveries/${wanted}${path}`, key);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not-found']);
    }
    expect((await call(method, `/v1/webhooks/deliveries/${id}${path}`, 'org:model:read')).statusCode).toBe(403);
  }
  expect((await call('GET', '/v1/webhooks/deliveries', 'org:model:train')).statusCode).toBe(403);
  expect((await call('GET', '/v1/webhooks/deliveries?limit=0')).json().code).toBe('invalid-parameter');
  expect((await call('GET', '/v1/webhooks/deliveries?cursor=x')).json().code).toBe('invalid-parameter');
});
