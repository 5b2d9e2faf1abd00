import { type Call, type Reply } from '@vouch/platform/conformance/client';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import type { Client } from '../../packages/recommender/conformance/client.ts';
import { startReceiver, type Receiver } from './harness/receiver.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let receiver: Receiver;
let client: Client;
let failing = true;

const endless = (_request: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200);
  const write = (): void => {
    if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(write));
  };
  write();
};

beforeAll(async () => {
  receiver = await startReceiver({
    '/hangs': () => undefined,
    '/redirects': (_request, response) => response.writeHead(307, { location: '/redirected' }).end(),
    '/redirects-inside': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    '/speaks-no-http': (request) => request.socket.end('200 fine\r\n\r\n'),
    '/hangs-up': (request) => request.socket.destroy(),
    '/lies-about-its-length': (_request, response) => {
      response.writeHead(200, { 'content-length': '1000000' }).write('short');
      setImmediate(() => response.destroy());
    },
    '/answers-without-end': endless,
    '/fails-once': (_request, response) => response.writeHead(failing ? 500 : 200).end('not now'),
  });
  vouch = await startVouch({ environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address } });
  ({ client } = vouch);
  await client.upload(['type,source_id,target_id,timestamp,metadata\nview,u,a,,\nview,u,b,,\nview,v,a,,\nview,v,b,,\n'], ['small']);
  await client.train({ model_id: 'small' });
});

afterAll(async () => {
  await vouch.stop();
  await receiver.close();
});

interface Problem {
  status: number;
  code: string;
  detail: string;
  request_id: string;
  errors?: { location: string; detail: string }[];
}

function problemOf(reply: Reply): Problem {
  expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = reply.json<Problem>();
  expect(problem.status).toBe(reply.status);
  expect(problem.detail.length).toBeGreaterThan(10);
  expect(problem.request_id).toBe(reply.headers.get('x-request-id'));
  return problem;
}

const related = '/v1/recommender/related_items';
const trending = '/v1/recommender/trending_items';
const batches = '/v1/recommender/data_batch';
const train = '/v1/recommender/train';
const long = 'm'.repeat(10_240);
const json = { 'content-type': 'application/json' };

type Case = [what: string, method: string, path: string, call: Call, status: number, code: string, location: string | null];

const cases: readonly Case[] = [
  ['threshold=2', 'GET', related, { query: { model_id: 'small', threshold: '2' } }, 422, 'invalid-parameter', 'query:threshold'],
  ['threshold=-0.01', 'GET', trending, { query: { threshold: '-0.01' } }, 422, 'invalid-parameter', 'query:threshold'],
  ['threshold=NaN', 'GET', trending, { query: { threshold: 'NaN' } }, 422, 'invalid-parameter', 'query:threshold'],
  ['threshold=1e999', 'GET', trending, { query: { threshold: '1e999' } }, 422, 'invalid-parameter', 'query:threshold'],
  ['a repeated threshold', 'GET', trending, { query: { threshold: ['0.1', '0.2'] } }, 422, 'invalid-parameter', 'query:threshold'],
  ['max_recommendations=0', 'GET', related, { query: { model_id: 'small', max_recommendations: 0 } }, 422, 'invalid-parameter', 'query:max_recommendations'],
  ['max_recommendations=10001', 'GET', trending, { query: { max_recommendations: 10_001 } }, 422, 'invalid-parameter', 'query:max_recommendations'],
  ['max_recommendations=1e3000', 'GET', trending, { query: { max_recommendations: '1e3000' } }, 422, 'invalid-parameter', 'query:max_recommendations'],
  ['max_recommendations=0x10', 'GET', trending, { query: { max_recommendations: '0x10' } }, 422, 'invalid-parameter', 'query:max_recommendations'],
  ['an unknown parameter', 'GET', related, { query: { model_id: 'small', max_recomendations: 5 } }, 422, 'unknown-parameter', 'query:max_recomendations'],
  ['an unknown parameter of DELETE', 'DELETE', batches, { query: { tag: 'small' } }, 422, 'unknown-parameter', 'query:tag'],
  ['an unknown field', 'POST', train, { body: { modelid: 'x' } }, 422, 'unknown-parameter', '/modelid'],
  ['an unknown field of parameters', 'POST', train, { body: { parameters: { sed: 1 } } }, 422, 'unknown-parameter', '/parameters'],
  ['a setting with a name and its alias at odds', 'POST', train,
    { body: { parameters: { setting: { user_exponent: -0.5, pa: -0.5, item_exponent: -0.2, damping: 3, T: 4, low_pass: 0.3 } } } },
    422, 'invalid-parameter', '/parameters/setting/damping'],
  ['output_format=xml', 'GET', trending, { query: { output_format: 'xml' } }, 422, 'invalid-parameter', 'query:output_format'],
  ['an open quote in entity_id', 'GET', related, { query: { model_id: 'small', entity_id: 'a,"b' } }, 422, 'invalid-parameter', 'query:entity_id'],
  ['an entity_id of 2 kB', 'GET', related, { query: { model_id: 'small', entity_id: 'e'.repeat(2048) } }, 422, 'invalid-parameter', 'query:entity_id'],
  ['an entity_id with NUL', 'GET', related, { query: { model_id: 'small', entity_id: 'a\0b' } }, 422, 'invalid-parameter', 'query:entity_id'],
  ['no model_id', 'GET', related, {}, 422, 'invalid-parameter', 'query:model_id'],
  ['a model_id of 10 kB asked for', 'GET', related, { query: { model_id: long } }, 404, 'unknown-model', null],
  ['a model_id of 10 kB in the path', 'GET', `/v1/recommender/${long}/status`, {}, 404, 'unknown-model', null],
  ['a model_id with / in the path', 'GET', '/v1/recommender/a%2Fb/status', {}, 404, 'unknown-model', null],
  ['a model_id with / unescaped', 'GET', '/v1/recommender/a/b/status', {}, 404, 'not-found', null],
  ['a model_id of broken escapes', 'GET', '/v1/recommender/%zz/status', {}, 400, 'malformed-request', null],
  ['a model_id with NUL cancelled', 'POST', '/v1/recommender/%00/cancel', {}, 422, 'invalid-parameter', 'path:model_id'],
  ...['a/b', '../etc', '.', '..', 'schedules', long, '', 'a b', 'ä', 'x'.repeat(129), 'a\nb'].map((id): Case =>
    [`a training of model_id ${JSON.stringify(id.slice(0, 12))}`, 'POST', train, { body: { model_id: id } }, 422, 'invalid-parameter', '/model_id']),
  ['an age of 0 days', 'POST', train, { body: { maximum_interaction_age_days: 0 } }, 422, 'invalid-parameter', '/maximum_interaction_age_days'],
  ['an age of half a day', 'POST', train, { body: { maximum_interaction_age_days: 0.5 } }, 422, 'invalid-parameter', '/maximum_interaction_age_days'],
  ['tags that are no texts', 'POST', train, { body: { data_tags: [1] } }, 422, 'invalid-parameter', '/data_tags'],
  ['a tag of 65 characters', 'POST', train, { body: { data_tags: 't'.repeat(65) } }, 422, 'invalid-parameter', '/data_tags'],
  ['a body that is a list', 'POST', train, { body: [] }, 422, 'invalid-parameter', null],
  ['a body that is a text', 'POST', train, { body: 'train' }, 422, 'invalid-parameter', null],
  ['a body of another type', 'POST', train, { headers: { 'content-type': 'text/csv' }, form: new FormData() }, 415, 'unsupported-media-type', null],
  ['an upload as JSON', 'POST', batches, { body: {} }, 415, 'unsupported-media-type', null],
  ['an upload without files', 'POST', batches, { form: new FormData() }, 422, 'no-files', null],
  ['deleting without a filter', 'DELETE', batches, {}, 400, 'missing-filter', null],
  ['deleting with an empty tag', 'DELETE', batches, { query: { tags: ' , ' } }, 400, 'missing-filter', null],
  ['an unknown batch', 'DELETE', batches, { query: { batch_id: 'nothing' } }, 404, 'unknown-batch', null],
  ['a cursor of nobody', 'GET', batches, { query: { cursor: 'zzz' } }, 422, 'invalid-parameter', 'query:cursor'],
  ['another method', 'PUT', batches, {}, 405, 'method-not-allowed', null],
  ['an Idempotency-Key with blanks', 'POST', train, { body: { model_id: 'x' }, headers: { ...json, 'idempotency-key': 'a b' } }, 422, 'invalid-parameter', 'header:idempotency-key'],
];

describe('is refused with its place, and changes nothing:', () => {
  it.each(cases)('%s', async (_what, method, path, call, status, code, location) => {
    const before = [(await client.batches()).text, (await client.status('small')).text];
    const reply = await client.send(method, path, call);
    expect([reply.status, reply.json<Problem>().code], reply.text).toEqual([status, code]);
    const problem = problemOf(reply);
    if (location !== null) expect(problem.errors?.map((fault) => fault.location).join(' ')).toContain(location);
    expect(reply.text.length).toBeLessThan(4_000);
    expect([(await client.batches()).text, (await client.status('small')).text]).toEqual(before);
  });

  it('several faults, all of them named at once with the nearest name', async () => {
    const reply = await client.related({ treshold: '0.5', output_fromat: 'csv' });
    expect(reply.status).toBe(422);
    const { errors = [] } = problemOf(reply);
    expect(errors.map(({ location }) => location)).toEqual(expect.arrayContaining(['query:treshold', 'query:output_fromat']));
    expect(reply.text).toMatch(/threshold.*output_format/s);
  });

  it('a list of identifiers over 64 KB', async () => {
    const reply = await client.related({ model_id: 'small', entity_id: Array.from({ length: 9_000 }, (_, at) => `e-${at}`).join(',') });
    expect([reply.status, reply.json<Problem>().code]).toEqual([431, 'headers-too-large']);
  });
});

describe('a callback address is refused before anything is queued:', () => {
  it.each([
    'http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://0/', 'http://localhost/',
    'http://LOCALHOST./', 'http://a.localhost/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'http://[64:ff9b::7f00:1]/',
    'http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.1.1/', 'http://169.254.169.254/latest/meta-data', 'http://100.64.0.1/',
    'http://[fc00::1]/', 'http://[fe80::1]/', 'http://１２７.0.0.1/', 'http://%31%32%37.0.0.1/', 'ftp://example.org/', 'file:///etc/passwd',
    'javascript:alert(1)', 'example.org/hook', 'http://user:password@example.org/', '',
  ])('%s', async (callback_url) => {
    const reply = await client.tryTrain({ model_id: 'never-queued', callback_url });
    expect([reply.status, problemOf(reply).code]).toEqual([422, 'address-refused']);
    expect(reply.text).not.toContain('password@');
    expect((await client.status('never-queued')).status).toBe(404);
  });
});

interface Delivery {
  delivery_id: string;
  url: string;
  status: string;
  attempts: number;
  last_error: string | null;
}

async function deliveryTo(path: string): Promise<Delivery | undefined> {
  const deliveries = (await client.get('/v1/webhooks/deliveries')).json<Delivery[]>();
  return deliveries.find(({ url }) => url === receiver.url + path);
}

/**
 * Waits for a recorded delivery attempt to a path that did not end by the time limit of 10 s, unless `late`: on a machine with busy
 * processors, a receiver that answers at once can exceed the limit, and the attempt is repeated.
 */
async function attempted(path: string, late = false): Promise<Delivery> {
  let found: Delivery | undefined;
  await vi.waitUntil(async () => {
    found = await deliveryTo(path);
    return found !== undefined && found.attempts > 0 && (late || !/10 s/.test(found.last_error ?? ''));
  }, { timeout: 240_000, interval: 100 });
  return found as Delivery;
}

describe('a receiver that', () => {
  it.each(sampleOf<[string, string, string | null]>([
    ['/redirects', 'pending', 'a redirect, which Vouch does not follow'],
    ['/redirects-inside', 'pending', 'a redirect, which Vouch does not follow'],
    ['/speaks-no-http', 'pending', ''],
    ['/hangs-up', 'pending', ''],
    ['/lies-about-its-length', 'delivered', null],
    ['/answers-without-end', 'delivered', null],
    ['/hangs', 'pending', 'did not answer within 10 s'],
  ], 3))('%s changes nothing about the training, and its attempt is recorded as %s', async (path, status, reason) => {
    const model_id = `to${path.replaceAll('/', '-')}`;
    const training = await client.trainToEnd({ model_id, data_tags: 'no-such-tag', callback_url: receiver.url + path });
    expect([training.status, training.error?.code]).toEqual(['error', 'no-usable-data']);
    const delivery = await attempted(path, reason?.includes('10 s'));
    expect(delivery.status).toBe(status);
    if (reason === null) expect(delivery.last_error).toBeNull();
    else expect(delivery.last_error).toContain(reason);
    expect(receiver.received.some((call) => call.path === '/redirected')).toBe(false);
    expect((await client.untilStatus(model_id)).error).toEqual(training.error);
  });

  it('failed once gets the same call again, signed, when it is asked for', async () => {
    await client.trainToEnd({ model_id: 'to-be-repeated', data_tags: 'no-such-tag', callback_url: `${receiver.url}/fails-once` });
    const { delivery_id: id, last_error: reason } = await attempted('/fails-once');
    expect(reason).toContain('500');
    failing = false;
    expect((await client.send('POST', `/v1/webhooks/deliveries/${id}/redeliver`)).status).toBe(202);
    await vi.waitUntil(async () => (await deliveryTo('/fails-once'))?.status === 'delivered', { timeout: 240_000, interval: 100 });
    const calls = receiver.received.filter(({ path }) => path === '/fails-once');
    expect(calls.length).toBeGreaterThanOrEqual(2);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(calls.every(({ headers }) => String(headers['webhook-signature']).startsWith('v1,'))).toBe(true);
  });
});
