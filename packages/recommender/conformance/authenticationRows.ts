import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import { inHouseOf, type ConformanceRow } from '@vouch/platform/conformance/context';
import { type Batch } from './client.ts';
import { row, smallEntities, type Fixture } from './fixture.ts';

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

const furtherKey = ({ context }: Fixture, scopes: readonly string[], whose?: 'new'): Promise<string> =>
  inHouseOf(context, 'further keys').createKey(scopes, whose);

/** Conformance rows of keys and their permissions. */
export const authenticationRows: readonly ConformanceRow[] = [
  ...endpoints.map(([method, path]) =>
    row('A1', `${method} ${path.replace('/films/', '/{model_id}/')} returns 401 without a key and with three invalid keys`, async ({ client }) => {
      expectStatus(await client.withKey('').send(method, path), 401);
      for (const key of notAccepted) expectStatus(await client.withKey(key).send(method, path), 401);
    }),
  ),
  row('A3', 'the recommender accepts the key in the header apikey, and nowhere else', async ({ client, context, name }) => {
    const anonymous = client.withKey('');
    const { apiKey } = context;
    const query = { tags: name('none') };
    expectStatus(await client.batches(query), 200);
    expectStatus(await anonymous.send('GET', '/v1/recommender/data_batch', { query, headers: { APIKEY: apiKey } }), 200);
    const elsewhere = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey, cookie: `apikey=${apiKey}` };
    for (const [header, value] of Object.entries(elsewhere)) {
      expectStatus(await anonymous.send('GET', '/v1/recommender/data_batch', { query, headers: { [header]: value } }), 401);
    }
    expectStatus(await anonymous.batches({ ...query, apikey: apiKey }), 401);
  }),
  row('A4', 'two keys are different, and each has at least 40 printable characters', async (fixture) => {
    const keys = [await furtherKey(fixture, ['data:read']), await furtherKey(fixture, ['data:read'])];
    assert.notEqual(keys[0], keys[1]);
    for (const key of keys) assert.match(key, /^[!-~]{40,}$/);
  }),
  row('A5', 'a second key of the organization sees the uploads of the first key', async (fixture) => {
    const { client, name } = fixture;
    const [batch] = await client.upload([smallEntities('a')], [name('shared')]);
    const further = client.withKey(await furtherKey(fixture, ['data:read', 'recommend:read']));
    assert.deepEqual(expectStatus(await further.batches({ batch_id: batch!.batch_id }), 200).json<Batch[]>(), [batch]);
  }),
  row('A5', 'a key of another organization sees no batch, status or list of this organization', async (fixture) => {
    const { client, name } = fixture;
    const { modelId } = await fixture.model();
    const [batch] = await client.upload([smallEntities('a')], [name('own')]);
    const other = client.withKey(await furtherKey(fixture, ['admin'], 'new'));
    assert.deepEqual(expectStatus(await other.batches(), 200).json(), []);
    expectStatus(await other.batches({ batch_id: batch!.batch_id }), 404);
    expectStatus(await other.status(modelId), 404);
    expectStatus(await other.related({ model_id: modelId }), 404);
    expectStatus(await other.trending(), 404);
  }),
  row('A6', 'a key for recommendations gets both lists, and 403 missing-scope from the other five endpoints', async (fixture) => {
    const { modelId } = await fixture.model();
    const reader = fixture.client.withKey(await furtherKey(fixture, ['recommend:read']));
    expectStatus(await reader.related({ model_id: modelId, entity_id: 'scifi-1' }), 200);
    expectStatus(await reader.trending({ model_id: modelId }), 200);
    for (const [method, path] of endpoints.slice(0, 5)) {
      const refused = expectStatus(await reader.send(method, path), 403);
      assert.equal(refused.json<{ code: string }>().code, 'missing-scope');
    }
  }),
  row('A7', 'the operator creates a key and replaces the key; the new key has the same access, and the old key stops working', async (fixture) => {
    const { operate } = inHouseOf(fixture.context, 'the commands of the operator');
    const organization = fixture.name('organization');
    const made = JSON.parse(await operate('keys', 'create', '--organization', organization, '--scope', 'data:read', '--json')) as { id: string; key: string };
    expectStatus(await fixture.client.withKey(made.key).batches(), 200);
    const replacement = JSON.parse(await operate('keys', 'rotate', made.id, '--overlap', '0', '--json')) as { key: string };
    assert.notEqual(replacement.key, made.key);
    expectStatus(await fixture.client.withKey(replacement.key).batches(), 200);
    expectStatus(await fixture.client.withKey(made.key).batches(), 401);
  }),
];
