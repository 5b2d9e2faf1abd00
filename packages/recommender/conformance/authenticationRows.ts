import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { type Batch } from './client.ts';
import { row } from './fixture.ts';

const section = 'Authentication';

const endpoints = [
  ['POST', '/v1/recommender/data_batch'],
  ['GET', '/v1/recommender/data_batch'],
  ['DELETE', '/v1/recommender/data_batch'],
  ['POST', '/v1/recommender/train'],
  ['GET', '/v1/recommender/films/status'],
  ['GET', '/v1/recommender/related_items'],
  ['GET', '/v1/recommender/trending_items'],
] as const;

const notAccepted = ['vch_000000000000000000000000000000000000000000000000', 'x'.repeat(32), 'x'.repeat(5000)];

/** Keys and what they permit. */
export const authenticationRows: readonly ConformanceRow[] = [
  ...endpoints.map(([method, path]) =>
    row(section, `${method} ${path.replace('/films/', '/{model_id}/')} requires a key`, async ({ client }) => {
      expectStatus(await client.withKey('').send(method, path), 401);
      for (const key of notAccepted) expectStatus(await client.withKey(key).send(method, path), 401);
    }),
  ),
  row(section, 'the key stands in the header apikey, not in another one and not in the address', async ({ client, context }) => {
    const anonymous = client.withKey('');
    const { apiKey } = context;
    expectStatus(await client.batches(), 200);
    expectStatus(await anonymous.send('GET', '/v1/recommender/data_batch', { headers: { APIKEY: apiKey } }), 200);
    const elsewhere = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey, cookie: `apikey=${apiKey}` };
    for (const [name, value] of Object.entries(elsewhere)) {
      expectStatus(await anonymous.send('GET', '/v1/recommender/data_batch', { headers: { [name]: value } }), 401);
    }
    expectStatus(await anonymous.batches({ apikey: apiKey }), 401);
  }),
  row(section, 'keys are random strings', async ({ context }) => {
    const keys = [await context.createKey(['data:read']), await context.createKey(['data:read'])];
    assert.notEqual(keys[0], keys[1]);
    for (const key of keys) assert.match(key, /^[!-~]{40,}$/);
  }),
  row(section, 'an organization can hold several keys, which see the same things', async ({ client, context, entities }) => {
    const further = client.withKey(await context.createKey(['data:read', 'recommend:read']));
    const { batch_id: id } = entities;
    assert.deepEqual((await further.batches({ batch_id: id })).json<Batch[]>(), [entities]);
    expectStatus(await client.batches({ batch_id: id }), 200);
  }),
  row(section, 'another organization sees nothing of it', async ({ client, context, entities, modelId }) => {
    const other = client.withKey(await context.createKey(['admin'], 'new'));
    assert.deepEqual(expectStatus(await other.batches(), 200).json(), []);
    expectStatus(await other.batches({ batch_id: entities.batch_id }), 404);
    expectStatus(await other.status(modelId), 404);
    expectStatus(await other.related({ model_id: modelId }), 404);
    expectStatus(await other.trending(), 404);
  }),
  row(section, 'a key can be scoped to some of the endpoints', async ({ client, context, modelId }) => {
    const reader = client.withKey(await context.createKey(['recommend:read']));
    expectStatus(await reader.related({ model_id: modelId, entity_id: 'scifi-1' }), 200);
    expectStatus(await reader.trending({ model_id: modelId }), 200);
    for (const [method, path] of endpoints.slice(0, 5)) {
      const refused = expectStatus(await reader.send(method, path), 403);
      assert.equal(refused.json<{ code: string }>().code, 'missing-scope');
    }
  }),
];
