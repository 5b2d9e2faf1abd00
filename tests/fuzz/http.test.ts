import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { array, assert, asyncProperty, constant, constantFrom, dictionary, double, integer, json, oneof, option, record, string, tuple, uint8Array } from 'fast-check';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { hashRequest } from '@vouch/platform/http/idempotency';
import { identifierList, tagList } from '@vouch/platform/http/parameters';
import { typed } from '@vouch/platform/http/request';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';

const runs = Number(process.env['VOUCH_TEST_FUZZ_RUNS'] ?? (exhaustive ? 1_000 : 300));
/** For what hangs, also with many runs on a busy machine. */
const limitMs = Math.max(600_000, 100 * runs);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let database: TestDatabase;
let at: TestServer;

beforeAll(async () => {
  database = await openTestDatabase();
  at = await startTestServer(database, {
    limits: { bodyTimeoutMs: 120_000, bodyIdleTimeoutMs: 120_000, headersTimeoutMs: 120_000, maxBodyBytes: 10_000 },
    routes: [(server) => {
      const routes = typed(server);
      const scope = { config: { scope: 'data:read' as const } };
      routes.get('/v1/items', {
        ...scope,
        schema: {
          querystring: Type.Object({
            model_id: Type.Optional(Type.String({ maxLength: 128 })),
            threshold: Type.Number({ minimum: 0, maximum: 1, default: 0 }),
            max: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
            format: Type.Union([Type.Literal('csv'), Type.Literal('json')], { default: 'csv' }),
            fast: Type.Optional(Type.Boolean()),
            tags: Type.Optional(tagList('')),
            entity_id: Type.Optional(identifierList('')),
          }),
        },
      }, async ({ query }) => (await database.query(
        'SELECT $1::text AS model, $2::float8 AS threshold, $3::int AS max, $4::text[] AS tags, $5::text[] AS ids',
        [query.model_id, query.threshold, query.max, query.tags, query.entity_id])).rows);
      routes.get('/v1/items/:id/status', { ...scope, schema: { params: Type.Object({ id: Type.String({ maxLength: 128 }) }) } },
        async ({ params }) => (await database.query('SELECT $1::text AS id', [params.id])).rows);
      routes.delete('/v1/items/:id', scope, async () => ({}));
      routes.post('/v1/train', {
        ...scope,
        schema: {
          body: Type.Object({
            model_id: Type.Optional(Type.String()),
            days: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
            data_tags: Type.Optional(tagList('')),
            parameters: Type.Optional(Type.Unknown()),
          }),
        },
      }, (request, reply) => server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
        const { rows } = await transaction.query('SELECT $1::jsonb AS body', [JSON.stringify(request.body)]);
        return { status: 202, body: rows[0] };
      }));
    }],
  });
});

afterAll(async () => {
  agent.destroy();
  await at.server.close();
  await database.close();
});

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

function send({ method, path, headers, body }: Sent): Promise<{ status: number; text: string; type: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port: at.port, method, path, headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => { text += chunk; });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, type: answer.headers['content-type'] ?? '' }));
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Text that tends to break parsers, raw and escaped. */
const nasty = constantFrom(
  '', '%00', '%', '%zz', '%ff%fe', '%ed%a0%80', '..', '%2e%2e%2f', '//', '\\', "'", '"', '"a,b",c', '["a"]', '[[', 'null', 'NaN', '-0', '1e999',
  '9'.repeat(400), 'a'.repeat(3000), '%F0%9F%92%A9', '__proto__', 'constructor', 'hasOwnProperty', '[]', '{}', '+', '%20', '&', '=', ';',
);
const printable = string({ unit: 'grapheme', maxLength: 30 }).map(encodeURIComponentSafely);
const word = oneof(nasty, printable, string({ unit: 'binary', maxLength: 10 }).map(encodeURIComponentSafely), double().map(String), integer().map(String));

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'));
}

const name = oneof(
  { weight: 4, arbitrary: constantFrom('model_id', 'threshold', 'max', 'format', 'fast', 'tags', 'tags%5B%5D', 'tags[]', 'entity_id') },
  { weight: 1, arbitrary: word },
);
const query = array(tuple(name, word), { maxLength: 6 }).map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join('&'));
const path = oneof(
  { weight: 3, arbitrary: constantFrom('/v1/items', '/v1/train', '/healthz', '/readyz', '/docs/errors', '/openapi.json') },
  { weight: 2, arbitrary: word.map((id) => `/v1/items/${id}/status`) },
  { weight: 1, arbitrary: word.map((id) => `/v1/items/${id}`) },
  { weight: 1, arbitrary: word.map((code) => `/docs/errors/${code}`) },
  { weight: 1, arbitrary: word.map((file) => `/docs/static/${file}`) },
  { weight: 1, arbitrary: array(word, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`) },
);
const bodyJson = oneof(
  json({ maxDepth: 6 }),
  dictionary(oneof(constantFrom('model_id', 'days', 'data_tags', 'parameters', '__proto__'), string()), oneof(integer(), string({ unit: 'binary' }), array(string()), constant(null)))
    .map((value) => JSON.stringify(value)),
  constantFrom('', '{', '{"days":1}', '{"data_tags":["a","b"]}', '{"model_id":"\\u0000"}', '{"parameters":"\\ud800"}', '{"parameters":{"\\u0000":1}}',
    '{"__proto__":1}', '[]', 'null', '1', '"x"', '{"days":1e400}', `{"parameters":${'['.repeat(60)}${']'.repeat(60)}}`, '['.repeat(5000), '\ufeff{}'),
);
const body = oneof({ weight: 4, arbitrary: bodyJson.map((text) => Buffer.from(text)) }, { weight: 1, arbitrary: uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) });
const headerText = string({ unit: constantFrom(...Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code))), maxLength: 40 }).map((text) => text.trim());
const headers = record({
  apikey: oneof({ weight: 6, arbitrary: constant('o:data:read') }, { weight: 1, arbitrary: headerText }),
  'content-type': oneof(
    { weight: 5, arbitrary: constant('application/json') },
    { weight: 1, arbitrary: constantFrom('application/json; charset=utf-16', 'text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded', 'json', '/') },
    { weight: 1, arbitrary: headerText },
  ),
  'idempotency-key': option(oneof(constantFrom('one', 'two'), headerText), { nil: undefined }),
  'accept-version': option(headerText, { nil: undefined }),
  expect: option(constantFrom('100-continue', '200-maybe'), { nil: undefined, freq: 20 }),
  'content-encoding': option(constantFrom('gzip', 'identity', 'x'), { nil: undefined, freq: 20 }),
}).map((given) => Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)));
const method = oneof(
  { weight: 4, arbitrary: constantFrom('GET', 'POST') },
  { weight: 1, arbitrary: constantFrom('HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH', 'M-SEARCH') },
);
/** Half of the requests name a route with its method, or too few would come as far as a handler. */
const aimed = tuple(
  constantFrom(['GET', '/v1/items'], ['POST', '/v1/train'], ['POST', '/v1/train'], ['GET', '/v1/items/a/status'], ['DELETE', '/v1/items/a']),
  oneof(constant(''), query), oneof(constant({ apikey: 'o:data:read', 'content-type': 'application/json' }), headers), body,
).map(([[verb = '', where = ''], ...rest]) => [verb, where, ...rest] as const);
const request = oneof(aimed, tuple(method, path, query, headers, body));

it(`${runs} generated requests give no 5xx, and every refusal is a problem with a code`, async () => {
  const statuses = new Map<number, number>();
  await assert(asyncProperty(request, async ([verb, where, search, head, content]) => {
    // The client of Node refuses to send what is not ASCII or has a blank; those bytes are sent raw below.
    const address = `${where}?${search}`.replaceAll(/[^\x21-\x7e]/g, '_');
    const answer = await send({ method: verb, path: address, headers: { ...head, 'content-length': String(content.length) }, body: content });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expect(answer.status, `${verb} ${address}: ${answer.text}`).toBeLessThan(500);
    if (answer.status >= 400 && verb !== 'HEAD') {
      expect(answer.type).toBe('application/problem+json; charset=utf-8');
      expect((JSON.parse(answer.text) as { code: string }).code).toMatch(/^[a-z-]+$/);
    }
  }), { numRuns: runs });
  // A fuzzer that only ever reaches one answer shows nothing.
  for (const status of [200, 202, 400, 401, 404, 405, 415, 422]) expect(statuses.get(status), `answers ${status}`).toBeGreaterThan(0);
}, limitMs);

it('bytes that are hardly HTTP give no 5xx and never take the server down', async () => {
  const line = oneof(
    constantFrom('GET /healthz HTTP/1.1', 'GET /v1/items HTTP/1.1', 'POST /v1/train HTTP/1.1', 'GET http://x/v1/items HTTP/1.0'),
    tuple(constantFrom('GET', 'POST', 'get', '', 'G\0T'), oneof(constantFrom('/', '*', '/healthz', 'http://x/', 'x:1'), string({ unit: 'binary', maxLength: 20 })), constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''))
      .map((parts) => parts.join(' ')),
    string({ unit: 'binary', maxLength: 60 }),
  );
  const header = oneof(
    constantFrom('Host: x', 'Content-Length: 5', 'Content-Length: -1', 'Content-Length: 99999999999999999999', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked',
      'Connection: upgrade', 'Upgrade: websocket', 'Expect: 100-continue', 'apikey: o:data:read', 'Content-Type: application/json', ': x', ' folded', 'a: \0'),
    string({ unit: 'binary', maxLength: 40 }),
  );
  const statuses = new Set<number>();
  await assert(asyncProperty(line, array(header, { maxLength: 3 }), uint8Array({ maxLength: 40 }), async (first, rest, content) => {
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect({ host: '127.0.0.1', port: at.port }, () => {
        socket.end(Buffer.concat([Buffer.from(`${first}\r\n${rest.join('\r\n')}\r\n\r\n`), Buffer.from(content)]));
      });
      socket.on('data', (chunk) => { received += chunk.toString('latin1'); });
      socket.on('error', () => {});
      socket.on('close', () => resolve(received));
    });
    for (const [, status] of text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
      statuses.add(Number(status));
      expect(Number(status), JSON.stringify([first, rest])).toBeLessThan(500);
    }
  }), {
    numRuns: Math.ceil(runs / 8),
    // One of each answer, however the others fall.
    examples: [
      ['GET /healthz HTTP/1.1', ['Host: x'], new Uint8Array()],
      ['GET /v1/items HTTP/1.1', ['Host: x'], new Uint8Array()],
      ['G\0T / HTTP/1.1', ['Host: x'], new Uint8Array()],
    ],
  });
  for (const status of [200, 400, 401]) expect(statuses).toContain(status);
  expect((await fetch(`${at.url}/healthz`)).status).toBe(200);
}, limitMs);
