import { type Reply } from '@vouch/platform/conformance/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { isScope, scopeNames } from '@vouch/platform/keys/scopes';
import type { Batch, Client } from '../../packages/recommender/conformance/client.ts';
import { fetchKeyRoutes, type KeyRoute } from './harness/fetchKeyRoutes.ts';
import { startReceiver, type Receiver } from './harness/receiver.ts';
import { startVouch, type MadeKey, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let receiver: Receiver;
let owner: Client;
let ownerKey: MadeKey;
let stranger: Client;
let routes: KeyRoute[];
let batches: Batch[];
let deliveryId: string;
let runId: string;
let uploadId: string;

const modelId = 'owned-model';
const ruleName = 'owned-rule';
/** Headers of the tus protocol, for every route of uploads. */
const tusHeaders = { 'tus-resumable': '1.0.0', 'upload-length': '10', 'upload-offset': '0' };
const createRun = '/v1video-summarization/create';
const interactions = 'type,source_id,target_id,timestamp,metadata\n' +
  ['u1', 'u2', 'u3'].flatMap((user) => ['owned-a', 'owned-b', 'owned-c'].map((item) => `view,${user},${item},,`)).join('\n');
const entities = 'id,type,name,metadata,media_url\n' +
  'owned-a,film,Owned Name,"{""secret"":""owned-word""}",\nowned-b,film,Owned Too,,\n';

beforeAll(async () => {
  receiver = await startReceiver();
  vouch = await startVouch({ environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address } });
  ownerKey = await vouch.createKey();
  owner = vouch.client.withKey(ownerKey.key);
  stranger = vouch.client.withKey((await vouch.createKey()).key);
  batches = await owner.upload([entities, interactions], ['owned-tag']);
  await owner.train({ model_id: modelId, callback_url: `${receiver.url}/owned-hook` });
  await vi.waitUntil(() => receiver.received.length > 0, { timeout: 120_000 });
  await owner.send('PUT', `/v1/recommender/rules/${ruleName}`, { body: { filter: 'item.secret != "owned-rule-word"' } });
  const arms = { a: { model_id: modelId }, b: { model_id: modelId, filter: 'item.secret != "owned-arm-word"' } };
  expect(await owner.send('PUT', '/v1/recommender/experiments/owned-experiment', { body: { arms, outcome: ['view'] } })).toMatchObject({ status: 200 });
  deliveryId = (await owner.get('/v1/webhooks/deliveries')).json<{ delivery_id: string }[]>()[0]?.delivery_id ?? '';
  runId = await failingRun();
  const upload = await owner.send('POST', '/v1/uploads', { headers: tusHeaders });
  uploadId = upload.json<{ upload_id: string }>().upload_id;
  routes = await fetchKeyRoutes(owner);
});

afterAll(async () => {
  await vouch.stop();
  await receiver.close();
});

/** Creates a failed run of the owner: its media URL has no media. */
async function failingRun(): Promise<string> {
  const started = await owner.send('POST', createRun, { body: { media_url: `${receiver.url}/owned-film` } });
  const { run_id: id } = started.json<{ run_id: string }>();
  await vi.waitUntil(async () => (await owner.get(`/v1/status/${id}`)).json<{ status: string }>().status === 'error', { timeout: 120_000 });
  return id;
}

/** Reads all resources of the owner, which other organizations must neither see nor change. */
async function everythingOwned(): Promise<string> {
  const replies = [
    await owner.batches(),
    await owner.status(modelId),
    await owner.related({ model_id: modelId }),
    await owner.trending(),
    await owner.get('/v1/webhooks/deliveries'),
    await owner.get(`/v1/webhooks/deliveries/${deliveryId}`),
    await owner.get(`/v1/status/${runId}`),
    await owner.send('HEAD', `/v1/uploads/${uploadId}`, { headers: tusHeaders }),
    await owner.get('/v1/recommender/rules'),
    await owner.get('/v1/recommender/experiments'),
    await owner.get('/v1/recommender/experiments/owned-experiment/results'),
  ];
  // The server counts the results of experiments from time to time, whoever asks.
  return replies.map(({ status, text }) => `${status} ${text.replace(/"counted_until":(?:null|"[^"]*")/, '"counted_until":…')}`).join('\n');
}

/** Returns a resource of the owner for a parameter. New parameters must be added here. */
function valueOf(name: string): string {
  const values: Record<string, string> = {
    model_id: modelId, delivery_id: deliveryId, run_id: runId, upload_id: uploadId, batch_id: batches[0]?.batch_id ?? '', tags: 'owned-tag', entity_id: 'owned-a',
    entity_type: 'film', source_type: 'film', limit: '10', cursor: '999999', max_recommendations: '5', threshold: '0',
    output_format: 'json', unknown: 'trending', csv_safe: 'true', from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z',
    day: '2026-01-01', signer: `0x${'12'.repeat(20)}`, address: `0x${'12'.repeat(20)}`, license: '1', scope: 'license', list: 'deny', order_id: '1',
    filter: 'true', boost: '1.0', offset: '0', id: 'owned-a', source_id: 'owned-a', target_id: 'owned-a', query: 'owned', key_id: ownerKey.id, explain: 'true', name: ruleName,
    version: '1', other_model_id: modelId, other_version: '1', length: '5', sample: '5', seed: '1',
  };
  const value = values[name];
  if (value === undefined) throw new Error(`the test does not know what to send as ${name}`);
  return value;
}

async function call(client: Client, route: KeyRoute, valueFor: (name: string) => string): Promise<{ sent: string; reply: Reply }> {
  const path = route.path.replace('/experiments/{id}', '/experiments/owned-experiment').replaceAll(/\{(\w+)\}/g, (_, name: string) => valueFor(name));
  const query = Object.fromEntries(route.parameters.filter((name) => name !== 'cursor').map((name) => [name, valueFor(name)]));
  const body = bodyOf(route, valueFor);
  const reply = await client.send(route.method, path, { query, ...(body === undefined ? {} : { body }), ...(path.startsWith('/v1/uploads') ? { headers: tusHeaders } : {}) });
  return { sent: JSON.stringify([path, query, body]), reply };
}

/** Returns the body for routes that start or change something. */
function bodyOf({ method, path }: KeyRoute, valueFor: (name: string) => string): object | undefined {
  if (path === '/v1/recommender/train') return { model_id: valueFor('model_id'), data_tags: [valueFor('tags')] };
  if (path === '/v1/recommender/recommend') return { model_id: valueFor('model_id'), entity_id: valueFor('entity_id') };
  if (path === '/v1/recommender/explain' && method === 'POST') return { model_id: valueFor('model_id'), history: [{ id: valueFor('entity_id') }], target_id: valueFor('target_id') };
  if (path === '/v1/recommender/interactions') return { interactions: [{ source_id: valueFor('entity_id'), target_id: 'seen' }] };
  if (path === '/v1/recommender/entities') return { entities: [{ id: valueFor('entity_id'), type: 'film' }] };
  if (path === '/v1/keys' && method === 'POST') return { name: 'another', scopes: ['data:read'] };
  if (path === createRun) return { media_url: `${receiver.url}/film`, cache_id: valueFor('run_id') };
  if (method === 'PUT' && path === '/gateway/budgets/keeper') return { gas: { activity: null } };
  if (method === 'PUT' && path.startsWith('/v1/recommender/rules')) return { filter: 'true', enabled: false };
  if (method === 'PUT' && path.startsWith('/v1/recommender/experiments')) return { arms: { a: { model_id: valueFor('model_id') }, b: { model_id: valueFor('model_id'), filter: 'true' } }, outcome: ['view'] };
  if (method === 'PUT') return path.startsWith('/gateway/budgets') ? { gas: { claimer: null } } : {};
  return undefined;
}

describe('another organization', () => {
  it('neither sees nor changes what all organizations use', () => {
    const shared = ({ path }: KeyRoute): boolean => path.startsWith('/gateway/');
    expect(routes.filter(shared).length).toBeGreaterThan(0);
    expect(routes.filter(({ operatorOnly }) => operatorOnly)).toEqual(routes.filter(shared));
  });

  it('neither sees nor changes anything on any route, whatever it names', async () => {
    const before = await everythingOwned();
    const words = ['owned-a', 'owned-b', 'owned-c', 'owned-tag', 'Owned Name', 'owned-word', 'owned-rule', 'owned-rule-word', 'owned-experiment', 'owned-arm-word', 'owned-hook', 'owned-film'];
    const owned = [...words, deliveryId, runId, ownerKey.id, ...batches.map(({ batch_id: id }) => id)];
    expect(routes.length).toBeGreaterThanOrEqual(10);
    let everSent = '';
    for (const route of routes) {
      const { sent, reply } = await call(stranger, route, valueOf);
      everSent += sent;
      const name = `${route.method} ${route.path} answered ${reply.status} ${reply.text.slice(0, 300)}`;
      if (route.operatorOnly) expect(reply.json<object>(), name).toMatchObject({ status: 403, code: 'operator-only' });
      else expect([200, 201, 202, 400, 404, 409, 415], name).toContain(reply.status);
      for (const marker of owned) if (!everSent.includes(marker)) expect(reply.text, name).not.toContain(marker);
    }
    expect(await everythingOwned()).toBe(before);
  });

  it('cannot train on what is not its own', async () => {
    const { status, error, data } = await stranger.trainToEnd({ model_id: 'stolen', data_tags: 'owned-tag' });
    expect([status, error?.code, data]).toEqual(['error', 'no-usable-data', null]);
  });

  it('gets the same answer for a foreign id and for one that nobody has', async () => {
    const foreign = vouch.client.withKey((await vouch.createKey()).key);
    const nobody = '00000000-0000-4000-8000-000000000000';
    const unknown: Record<string, string> = {
      model_id: 'nobody-has-it', delivery_id: nobody, run_id: nobody, upload_id: nobody, batch_id: nobody, tags: 'nobody-tag', name: 'nobody-has-it',
    };
    const shape = ({ status, text }: Reply, ids: readonly string[]): string =>
      ids.reduce((rest, id) => rest.replaceAll(id, 'ID'), `${status} ${text}`).replace(/"request_id":"[^"]*"/, '');
    // POST /v1/uploads names nothing: each call makes another upload.
    for (const route of routes.filter((each) => bodyOf(each, () => '') === undefined && each.path !== '/v1/uploads')) {
      const one = await call(foreign, route, valueOf);
      const other = await call(foreign, route, (name) => unknown[name] ?? valueOf(name));
      const ids = Object.keys(unknown);
      expect(shape(one.reply, ids.map(valueOf)), route.path).toBe(shape(other.reply, Object.values(unknown)));
    }
  });
});

describe('a publishable key', () => {
  it('of another organization sees and changes nothing on the routes for web pages', async () => {
    const foreign = vouch.client.withKey((await vouch.createKey({ scopes: ['recommend:publish'] })).key);
    const before = await everythingOwned();
    for (const route of routes.filter(({ forPages }) => forPages)) {
      const path = `${route.method} ${route.path}`;
      const query = route.method === 'GET' ? { model_id: modelId, output_format: 'json', ...(route.path.includes('related') ? { entity_id: 'owned-a' } : {}) } : {};
      const body = bodyOf(route, valueOf);
      const reply = await foreign.send(route.method, route.path, { query, ...(body === undefined ? {} : { body }) });
      expect([path, reply.status]).toEqual([path, route.path.endsWith('interactions') ? 202 : 404]);
      for (const marker of ['owned-b', 'owned-c', 'Owned Name', 'owned-word']) expect(reply.text, path).not.toContain(marker);
    }
    expect(await everythingOwned()).toBe(before);
  });
});

describe('a key', () => {
  it('may do exactly what its scopes permit, on every route', async () => {
    const table: string[] = [];
    for (const scope of scopeNames) {
      const client = vouch.client.withKey((await vouch.createKey({ scopes: [scope], organization: 'default' })).key);
      for (const route of routes) {
        expect(isScope(route.scope), `${route.method} ${route.path} does not say its scope`).toBe(true);
        const path = route.path.replaceAll(/\{\w+\}/g, 'nothing');
        // A request that the route refuses after the scope check, so that nothing happens if the scope is sufficient.
        const body = bodyOf(route, () => '') === undefined ? {} : { body: { no_such_field: 1 } };
        const reply = await client.send(route.method, path, { query: { no_such_parameter: '1' }, ...body });
        const allowed = scope === 'admin' || scope === route.scope || (scope === 'recommend:publish' && route.forPages);
        // The answer to HEAD has no body.
        if (!allowed && route.method === 'HEAD') expect(reply.status).toBe(403);
        else if (!allowed) expect(reply.json<object>()).toMatchObject({ status: 403, code: 'missing-scope', detail: expect.stringContaining(route.scope) as string });
        else expect([401, 403], `${scope} on ${route.method} ${route.path}: ${reply.text}`).not.toContain(reply.status);
        if (allowed) table.push(`${scope} ${route.method} ${route.path}`);
      }
    }
    expect(table.filter((line) => line.startsWith('admin')).length).toBe(routes.length);
    expect(table.filter((line) => line.startsWith('recommend:publish')).sort()).toEqual([
      'recommend:publish GET /v1/recommender/related_items',
      'recommend:publish GET /v1/recommender/trending_items',
      'recommend:publish POST /v1/recommender/interactions',
      'recommend:publish POST /v1/recommender/recommend',
    ]);
  });

  it.each([
    ['data:write', 'POST', '/v1/recommender/data_batch'],
    ['data:read', 'GET', '/v1/recommender/data_batch'],
    ['data:write', 'DELETE', '/v1/recommender/data_batch'],
    ['model:train', 'POST', '/v1/recommender/train'],
    ['model:train', 'POST', '/v1/recommender/{model_id}/cancel'],
    ['model:read', 'GET', '/v1/recommender/{model_id}/status'],
    ['model:read', 'GET', '/v1/recommender/models'],
    ['model:read', 'GET', '/v1/recommender/{model_id}/trainings'],
    ['recommend:read', 'GET', '/v1/recommender/{model_id}/entities'],
    ['model:train', 'PUT', '/v1/recommender/rules/{name}'],
    ['model:read', 'GET', '/v1/recommender/rules'],
    ['model:train', 'PUT', '/v1/recommender/experiments/{id}'],
    ['model:read', 'GET', '/v1/recommender/experiments/{id}/results'],
    ['model:train', 'POST', '/v1/recommender/rules/{name}/preview'],
    ['recommend:read', 'GET', '/v1/recommender/related_items'],
    ['recommend:read', 'GET', '/v1/recommender/trending_items'],
    ['video:write', 'POST', createRun],
    ['video:read', 'GET', '/v1/status/{run_id}'],
    ['video:read', 'GET', '/v1/runs'],
    ['video:write', 'GET', '/v1/cancel/{run_id}'],
    ['admin', 'GET', '/v1/webhooks/deliveries'],
    ['admin', 'GET', '/v1/keys'],
    ['admin', 'POST', '/v1/keys'],
    ['admin', 'DELETE', '/v1/keys/{key_id}'],
    ['admin', 'GET', '/gateway/batches'],
    ['admin', 'GET', '/gateway/bill'],
    ['admin', 'GET', '/gateway/budgets'],
    ['admin', 'PUT', '/gateway/budgets/{scope}'],
    ['admin', 'PUT', '/gateway/budgets/keeper'],
    ['admin', 'PUT', '/gateway/signers/{list}/{address}'],
    ['admin', 'DELETE', '/gateway/signers/{list}/{address}'],
    ['admin', 'GET', '/v1/webhooks/deliveries/{delivery_id}'],
    ['admin', 'POST', '/v1/webhooks/deliveries/{delivery_id}/redeliver'],
  ])('with the scope %s is what %s %s asks for', (scope, method, path) => {
    expect(routes.find((route) => route.method === method && route.path === path)?.scope).toBe(scope);
  });

  it('that is revoked with the program is refused from then on, and no other key with it', async () => {
    const { id, key, organization } = await vouch.createKey({ scopes: ['data:read'] });
    const { key: other } = await vouch.createKey({ scopes: ['data:read'], organization });
    expect((await vouch.client.withKey(key).batches()).status).toBe(200);
    await vouch.run('keys', 'revoke', id);
    await expect.poll(async () => (await vouch.client.withKey(key).batches()).status, { timeout: 120_000 }).toBe(401);
    expect((await vouch.client.withKey(other).batches()).status).toBe(200);
  });

  exhaustiveTest('made and rotated with the program works, and its replacement beside it', async () => {
    const words = ['keys', 'create', '--organization', ownerKey.organization, '--scope', 'data:read', '--json'];
    const made = JSON.parse(await vouch.run(...words)) as { id: string; key: string };
    const replacement = JSON.parse(await vouch.run('keys', 'rotate', made.id, '--json')) as { key: string };
    for (const key of [made.key, replacement.key]) {
      const listed = (await vouch.client.withKey(key).batches()).json<Batch[]>();
      expect(listed.map(({ batch_id: id }) => id).sort()).toEqual(batches.map(({ batch_id: id }) => id).sort());
      expect((await vouch.client.withKey(key).status(modelId)).status).toBe(403);
    }
    expect(replacement.key).not.toBe(made.key);
  });

  it('is never written to the log, whole or wrong', async () => {
    const wrong = 'vch_wrongwrongwrongwrongwrongwrongwrongwrongwrongwrong';
    await vouch.client.withKey(wrong).batches();
    const log = await vouch.log();
    expect(log).toContain('serving');
    for (const secret of [vouch.key, ownerKey.key, wrong]) expect(log).not.toContain(secret);
  });
});
