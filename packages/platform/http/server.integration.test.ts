import { gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import { createLogger } from '../log/logger.ts';
import { identifierList, tagList } from './parameters.ts';
import { typed } from './request.ts';
import { parseAnswer, sendRaw, startTestServer, type TestServer } from '../testing/testServer.ts';

let database: TestDatabase;
let at: TestServer;
const logged: Record<string, unknown>[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  at = await startTestServer(database, {
    log: createLogger('info', { write: (line: string) => { logged.push(JSON.parse(line) as Record<string, unknown>); } }),
    readiness: [{ name: 'database', isRequired: true, check: async () => { await database.query('SELECT 1'); } }],
    limits: { maxBodyBytes: 1000 },
    routes: [(server) => {
      const routes = typed(server);
      routes.get('/v1/items', {
        config: { scope: 'recommend:read' },
        schema: {
          summary: 'Items',
          querystring: Type.Object({
            threshold: Type.Number({ minimum: 0, maximum: 1, default: 0 }),
            tags: Type.Optional(tagList('Labels.')),
            entity_id: Type.Optional(identifierList('Identifiers.')),
          }),
        },
      }, async (request) => request.query);
      routes.delete('/v1/items', { config: { scope: 'admin' } }, async () => ({}));
      routes.get('/v1/items/:id/status', { config: { scope: 'model:read' } }, async (request) => request.params);
      routes.post('/v1/train', {
        config: { scope: 'model:train' },
        schema: { body: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1 })) }), querystring: Type.Object({ q: Type.Optional(Type.Integer()) }) },
      }, async (request) => request.body);
      routes.get('/v1/broken', { config: { scope: 'admin' } }, async () => { throw new Error('the secret is hunter2'); });
      routes.get('/v1/full', { config: { scope: 'admin' } }, async () => { throw Object.assign(new Error('write'), { code: 'ENOSPC' }); });
      routes.get('/v1/nul', { config: { scope: 'admin' } }, async () => database.query('SELECT $1::text', ['\0']));
    }],
  });
});

afterAll(async () => {
  await at.server.close();
  await database.close();
});

const everything = 'o:recommend:read,model:read,model:train,admin';

function call(path: string, init: RequestInit = {}, key: string | null = 'o:x'): Promise<Response> {
  return fetch(at.url + path, { ...init, headers: { ...(key === null ? {} : { apikey: key }), ...init.headers } });
}

async function problemOf(answer: Response): Promise<Record<string, unknown>> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const problem = await answer.json() as Record<string, unknown>;
  expect(problem['status']).toBe(answer.status);
  expect(problem['request_id']).toBe(answer.headers.get('x-request-id'));
  expect(problem['type']).toBe(`http://vouch.test/docs/errors/${String(problem['code'])}`);
  expect(Object.keys(platformErrors.entries)).toContain(problem['code']);
  return problem;
}

const json = { 'content-type': 'application/json' };

describe('every error is a problem with its request id', () => {
  it.each<[string, string, RequestInit, string | null, number, string]>([
    ['unknown path', '/nope', {}, null, 404, 'not-found'],
    ['unknown path with a body that is never read', '/nope', { method: 'POST', body: '{', headers: json }, null, 404, 'not-found'],
    ['no key', '/v1/items', {}, null, 401, 'missing-key'],
    ['unknown key', '/v1/items', {}, 'nobody', 401, 'unknown-key'],
    ['missing scope', '/v1/items', {}, 'o:model:read', 403, 'missing-scope'],
    ['a bad key before a bad body', '/v1/train', { method: 'POST', body: '{', headers: json }, 'nobody', 401, 'unknown-key'],
    ['body that is not JSON', '/v1/train', { method: 'POST', body: '{"days":', headers: json }, everything, 400, 'malformed-request'],
    ['prototype in the body', '/v1/train', { method: 'POST', body: '{"__proto__":{}}', headers: json }, everything, 422, 'invalid-parameter'],
    ['nested body', '/v1/train', { method: 'POST', body: '['.repeat(500), headers: json }, everything, 400, 'malformed-request'],
    ['too large by announcement', '/v1/train', { method: 'POST', body: 'x'.repeat(1001), headers: json }, everything, 413, 'too-large'],
    ['too large by content', '/v1/train', {
      method: 'POST', headers: json, duplex: 'half',
      body: new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array(2000)); controller.close(); } }),
    } as RequestInit, everything, 413, 'too-large'],
    ['media type', '/v1/train', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }, everything, 415, 'unsupported-media-type'],
    ['no media type', '/v1/train', { method: 'POST', body: new Uint8Array(3) }, everything, 415, 'unsupported-media-type'],
    ['media type that is none', '/v1/train', { method: 'POST', body: 'x', headers: { 'content-type': ';;' } }, everything, 415, 'unsupported-media-type'],
    ['body that is no object', '/v1/train', { method: 'POST', body: '[]', headers: json }, everything, 422, 'invalid-parameter'],
    ['value out of range', '/v1/items?threshold=2', {}, everything, 422, 'invalid-parameter'],
    ['unknown parameter', '/v1/items?treshold=1', {}, everything, 422, 'unknown-parameter'],
    ['parameter on a route that takes none', '/v1/items/1/status?x=1', {}, everything, 422, 'unknown-parameter'],
    ['broken escape in the path', '/v1/items/%ff/status', {}, everything, 400, 'malformed-request'],
    ['unknown error page', '/docs/errors/nope', {}, null, 404, 'not-found'],
    ['a full disk', '/v1/full', {}, everything, 507, 'storage-full'],
    ['text the database refuses', '/v1/nul', {}, everything, 400, 'malformed-request'],
  ])('%s', async (_name, path, init, key, status, code) => {
    const answer = await call(path, init, key);
    expect(answer.status).toBe(status);
    expect(await problemOf(answer)).toMatchObject({ code });
  });

  it('405 names the methods of the path', async () => {
    const answer = await call('/v1/items/1/status', { method: 'DELETE' }, null);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    await problemOf(answer);
  });

  it('415 names the content type that came and the one to send', async () => {
    const sent = async (init: RequestInit): Promise<unknown> => (await problemOf(await call('/v1/train', { method: 'POST', ...init }, everything)))['detail'];
    const form = await sent({ body: new URLSearchParams({ days: '1' }) });
    expect(form).toMatch(/application\/x-www-form-urlencoded.*content-type: application\/json/);
    expect(await sent({ body: new Uint8Array(3) })).toMatch(/no content type.*content-type: application\/json/);
    const deletion = await call('/v1/items', { method: 'DELETE', body: new URLSearchParams({ tags: 'a' }) }, everything);
    expect(((await deletion.json()) as { detail: string }).detail).toContain('DELETE reads no body. Send parameters in the query, after ? in the URL.');
    const packed = await sent({ body: gzipSync('{"days":1}'), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } });
    expect(packed).toBe('The body has Content-Encoding gzip. Send the JSON body uncompressed.');
  });

  it('403 names the scope', async () => {
    const problem = await problemOf(await call('/v1/items', {}, 'o:model:read'));
    expect(problem['detail']).toContain('recommend:read');
  });

  it('faults of query and body come in one answer', async () => {
    const answer = await call('/v1/train?q=x&z=1', { method: 'POST', body: '{"days":0,"dayz":1}', headers: json }, everything);
    const { errors } = await problemOf(answer);
    expect((errors as { location: string }[]).map(({ location }) => location)).toEqual(['query:z', '/dayz', 'query:q', '/days']);
  });

  it('an unexpected failure tells the client nothing and the log everything, under one request id', async () => {
    const answer = await call('/v1/broken', {}, everything);
    expect(answer.status).toBe(500);
    const problem = await problemOf(answer);
    expect(JSON.stringify(problem)).not.toContain('hunter2');
    const line = logged.find((entry) => entry['request_id'] === problem['request_id'] && entry['level'] === 'error');
    expect(JSON.stringify(line)).toContain('hunter2');
  });

  it('headers of 60 KB pass, of 70 KB are 431', async () => {
    const ids = encodeURIComponent(Array.from({ length: 2000 }, (_, index) => `entity-number-${index}`).join(','));
    const long = await call(`/v1/items?entity_id=${ids.slice(0, 60_000)}`, {}, everything);
    expect(long.status).toBe(200);
    const answer = parseAnswer((await sendRaw(at.port, `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`)).text);
    expect([answer.status, answer.body['code']]).toEqual([431, 'headers-too-large']);
    expect(answer.head).toContain(`x-request-id: ${String(answer.body['request_id'])}`);
  });
});

describe('keys and scopes', () => {
  it('hold for every route of the table: no key 401, wrong scope 403, right scope neither', async () => {
    const routes = at.server.routeTable();
    expect(routes.filter(({ scope }) => scope !== null).length).toBe(7);
    for (const { method, path, scope } of routes) {
      const address = path.replaceAll(/\{\w+\}/g, 'x').replace('*', 'x');
      if (scope === null) {
        expect([401, 403]).not.toContain((await call(address, { method }, null)).status);
        continue;
      }
      expect((await call(address, { method }, null)).status, `${method} ${path}`).toBe(401);
      expect((await call(address, { method }, 'o:none')).status, `${method} ${path}`).toBe(403);
      expect([401, 403]).not.toContain((await call(address, { method }, `o:${scope}`)).status);
    }
  });

  it('are required of every route at the start', async () => {
    const silent = startTestServer(database, { routes: [(server) => { server.get('/v1/forgotten', async () => 'x'); }] });
    await expect(silent).rejects.toThrow('GET /v1/forgotten');
  });
});

describe('open routes', () => {
  it('answer without a key', async () => {
    expect(await (await call('/healthz', {}, null)).json()).toEqual({ status: 'ok' });
    expect((await call('/healthz', { method: 'HEAD' }, null)).status).toBe(200);
    expect(await (await call('/readyz', {}, null)).json()).toEqual({ status: 'ready', checks: [{ name: 'database', status: 'ok' }] });
    expect(await (await call('/docs/errors', {}, null)).text()).toContain('/docs/errors/too-large');
    expect(await (await call('/docs/errors/too-large', {}, null)).text()).toContain(platformErrors.entries['too-large'].title);
  });

  it('metrics count by route template; through a proxy they need an admin key of the organization default', async () => {
    await call('/v1/items/some-identifier/status', {}, everything);
    const text = await (await call('/metrics', {}, null)).text();
    expect(text.split('\n').filter((line) => line.includes('_count'))).toContainEqual(expect.stringMatching(/vouch_http_request_duration_seconds_count\{method="GET",route="\/v1\/items\/:id\/status",status="200"\}/));
    expect(text).not.toContain('some-identifier');
    const proxied = { headers: { 'x-forwarded-for': '203.0.113.1' } };
    expect((await call('/metrics', proxied, null)).status).toBe(401);
    expect((await call('/metrics', proxied, 'o:model:read')).status).toBe(403);
    expect((await call('/metrics', proxied, 'o:admin')).status).toBe(403);
    expect((await call('/metrics', proxied, 'default:admin')).status).toBe(200);
  });

  it('describe the interface as OpenAPI 3.1, with key, problems and idempotency header', async () => {
    const description = await (await call('/openapi.json', {}, null)).json() as {
      openapi: string; components: { schemas: object; securitySchemes: object };
      paths: Record<string, Record<string, { security?: unknown; responses: Record<string, unknown>; parameters?: { name: string }[] }>>;
    };
    expect(description.openapi).toBe('3.1.0');
    expect(Object.keys(description.components.schemas)).toContain('Problem');
    const train = description.paths['/v1/train']?.['post'];
    expect(train?.security).toEqual([{ apikey: [] }]);
    expect(train?.parameters?.map(({ name }) => name)).toEqual(['q', 'Idempotency-Key']);
    expect(Object.keys(train?.responses ?? {})).toEqual(expect.arrayContaining(['401', '403', '422', '429', '503', 'default']));
    expect(description.paths['/v1/items/{id}/status']).toBeDefined();
  });

  it('serve a documentation page that loads nothing from elsewhere', async () => {
    const page = await call('/docs/api', {}, null);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
    for (const path of ['/docs/api', '/docs/errors', '/docs/errors/internal']) {
      const { headers } = await call(path, {}, null);
      expect([headers.get('x-frame-options'), headers.get('cross-origin-opener-policy')], path).toEqual(['SAMEORIGIN', 'same-origin']);
    }
    const html = await page.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await call(new URL(link, `${at.url}/docs/api/`).pathname, {}, null)).status).toBe(200);
  });

  it('send the description and the files of its page compressed', async () => {
    for (const path of ['/openapi.json', '/docs/api/static/swagger-ui-bundle.js', '/docs/api/static/swagger-ui.css', '/docs/api/json']) {
      const { status, headers } = await call(path, {}, null);
      expect([status, headers.get('content-encoding'), headers.get('vary')], path).toEqual([200, 'gzip', 'accept-encoding']);
    }
  });
});

it('every answer tells browsers to run, embed and guess nothing, refusals as well', async () => {
  for (const [path, key] of [['/v1/items?entity_id=a', 'o:recommend:read'], ['/v1/items', null], ['/nowhere', null], ['/healthz', null]] as const) {
    const { headers } = await call(path, {}, key);
    expect(headers.get('content-security-policy'), path).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('referrer-policy'), path).toBe('no-referrer');
    expect(headers.get('strict-transport-security'), path).toBeNull();
  }
});

it('a key in the header Authorization gets a sentence that names the right header, and never the key', async () => {
  const answer = await call('/v1/items', { headers: { authorization: 'Bearer vch_secret' } }, null);
  const { code, detail } = await answer.json() as { code: string; detail: string };
  expect([answer.status, code]).toEqual([401, 'missing-key']);
  expect(detail).toMatch(/`Authorization` header, which this server does not use.*header named apikey/);
  expect(detail).not.toContain('vch_secret');
  const without = await (await call('/v1/items', {}, null)).json() as { detail: string };
  expect(without.detail).not.toContain('Authorization');
});

it.each([['/v1items', '/v1/items'], ['/v1//train/', '/v1/train'], ['/V1/Train', '/v1/train'], ['/v1/trian', '/v1/train'], ['/redayz', '/readyz'],
  ['/v1/items/a/status/', '/v1/items/a/status'], ['/v1//items/a//status', '/v1/items/a/status']])(
  'the path %s, which is none, is answered with the path %s that was meant', async (path, meant) => {
    const { status, detail } = await (await call(path)).json() as { status: number; detail: string };
    expect([status, detail]).toEqual([404, `No route has the path ${path}. Did you mean ${meant}? /docs/api lists every route.`]);
  });

it('a path that is near to none is answered without a guess', async () => {
  expect(((await (await call('/v2/nothing/like/it')).json()) as { detail: string }).detail).toBe('No route has the path /v2/nothing/like/it. /docs/api lists every route.');
});

it('each request is logged with its id', async () => {
  const answer = await call('/v1/items?entity_id=a', {}, 'o:recommend:read');
  const id = answer.headers.get('x-request-id');
  expect(logged.filter((line) => line['request_id'] === id)).toHaveLength(1);
});

it('each line of a request in a trace names the trace, also the line of a failure', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const answer = await call('/v1/broken', { headers: { traceparent } }, 'o:admin');
  expect(answer.status).toBe(500);
  const lines = logged.filter((line) => line['request_id'] === answer.headers.get('x-request-id'));
  expect(lines.map((line) => [line['level'], line['trace_id']])).toEqual([['error', traceparent.slice(3, 35)], ['info', traceparent.slice(3, 35)]]);
});

it('no log line holds a key, a query or a body', async () => {
  await call('/v1/items?entity_id=private-identifier', { headers: { authorization: 'Bearer private-token' } }, 'private-org:recommend:read');
  await call('/v1/items/vch_0aB3xY0aB3xY0aB3xY/status');
  const text = JSON.stringify(logged);
  expect(text).toContain('"answered"');
  expect(text).toContain('/v1/items/vch_…/status');
  expect(text).not.toContain('0aB3xY');
  expect(text).not.toContain('private-identifier');
  expect(text).not.toContain('private-token');
});
