import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyCallback } from './callbacks.ts';
import { createClient, type Client } from './client.ts';
import type { UploadProgress } from './multipart.ts';
import { pauseBefore } from './transport.ts';

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = (response: ServerResponse, request: Received) => void;

/** Answers of the server, in order; the last one repeats. */
let answers: Answer[] = [];
let received: Received[] = [];
let vouch: Client;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => { body += text; }).on('end', () => {
    const { method = '', url = '', headers } = request;
    const whole = { method, url, headers, body };
    received.push(whole);
    (answers.length > 1 ? answers.shift() : answers[0])?.(response, whole);
  });
});

const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Answer => (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
const busy = json({ code: 'overloaded', detail: 'Repeat the request.' }, 503, { 'retry-after': '0' });

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vouch = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, apiKey: 'secret' });
});

beforeEach(() => {
  [answers, received] = [[], []];
});

afterAll(() => server.close());

describe('a call', () => {
  it('puts parameters into path, query or body, and sends the key', async () => {
    answers = [json({ status: 'completed' })];
    await vouch.getTraining({ model_id: 'a b' });
    await vouch.relatedItems({ model_id: 'm', entity_id: ['x,y', 'z', 'say "hi"', ' b'] });
    await vouch.startTraining({ model_id: 'm', data_tags: ['a'] });
    await vouch.addSigner({ list: 'deny', address: '0x1', note: 'why' });
    expect(received.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'GET /v1/recommender/a%20b/status ', 'GET /v1/recommender/related_items?output_format=json&model_id=m&entity_id=%22x%2Cy%22&entity_id=z&entity_id=%22say+%22%22hi%22%22%22&entity_id=%22+b%22 ',
      'POST /v1/recommender/train {"model_id":"m","data_tags":["a"]}', 'PUT /gateway/signers/deny/0x1 {"note":"why"}',
    ]);
    expect(received.map(({ headers }) => headers['apikey'])).toEqual(Array(4).fill('secret'));
    received = [];
    await vouch.relatedItems({ model_id: 'm', entity_id: '"x,y",z' });
    await vouch.listBatches({ tags: ['say "hi"'] });
    expect(received.map(({ url }) => url.split('?')[1])).toEqual(['output_format=json&model_id=m&entity_id=%22x%2Cy%22%2Cz', 'tags=say+%22hi%22']);
    await expect(vouch.getTraining({ model_id: '' })).rejects.toThrow('getTraining needs model_id');
  });

  it('is repeated with the same Idempotency-Key where the server is busy or the connection breaks, and not where the request is wrong', async () => {
    answers = [(response) => response.socket?.destroy(), busy, json({ status: 'queued' }, 202)];
    expect(await vouch.startTraining()).toEqual({ status: 'queued' });
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(received[0]?.headers['idempotency-key']).toMatch(/^[\da-f-]{36}$/);
    [answers, received] = [[json({ code: 'invalid-parameter', detail: 'The value is wrong.', errors: [{ location: '/ratio', detail: 'x' }], request_id: 'r' }, 422)], []];
    await expect(vouch.createSummarization({ media_url: 'http://x' })).rejects.toMatchObject({ name: 'VouchError', status: 422, code: 'invalid-parameter', requestId: 'r', errors: [{ location: '/ratio' }], message: 'The value is wrong.' });
    expect(received.length).toBe(1);
    [answers, received] = [[busy], []];
    await expect(vouch.getHealth()).rejects.toMatchObject({ code: 'overloaded' });
    expect(received.length).toBe(4);
  });

  it('follows no redirect, which could send the key to another host', async () => {
    answers = [(response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()];
    await expect(createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, retries: 0 }).getHealth()).rejects.toThrow('fetch failed');
  });

  it('waits as long as the server asks, and else longer each time', () => {
    expect([pauseBefore(0, '7'), pauseBefore(0, '9999'), pauseBefore(0, 'Thu, 01 Jan 1970 00:00:05 GMT', 2_000)]).toEqual([7_000, 9_999_000, 3_000]);
    expect(pauseBefore(3, null)).toBeGreaterThan(pauseBefore(0, null));
  });

  it('fails at once where the server asks for more than a minute, because an earlier repeat is refused again', async () => {
    answers = [json({ error: 'The budget of the day is used up.', code: 'quota', message: 'The budget of the day is used up.' }, 400, { 'retry-after': '61' })];
    await expect(vouch.getHealth()).rejects.toMatchObject({ status: 400, code: 'quota', message: 'The budget of the day is used up.' });
    expect(received.length).toBe(1);
  });
});

describe('lists', () => {
  it('are read page by page, with the cursor alone of the next URL', async () => {
    answers = [json([{ batch_id: 'a' }], 200, { link: '<http://elsewhere.example/v1/recommender/data_batch?limit=1&cursor=c%2B1>; rel="next"' }), json([{ batch_id: 'b' }])];
    const batches = [];
    for await (const batch of vouch.pages('listBatches', { limit: 1, tags: ['t'] })) batches.push(batch.batch_id);
    expect(batches).toEqual(['a', 'b']);
    expect(received.map(({ url }) => url)).toEqual(['/v1/recommender/data_batch?limit=1&tags=t', '/v1/recommender/data_batch?limit=1&tags=t&cursor=c%2B1']);
  });

  it('in CSV are read while they arrive, with quotes, and fail where they are cut off', async () => {
    const text = 'source_id,target_id,#,score\n"a ""b"", c\nd",é,1,0.500000\n';
    answers = [(response) => {
      const bytes = Buffer.from(text);
      response.writeHead(200, { 'content-type': 'text/csv' });
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end(',t,2,0.25\n');
    }, (response) => { response.writeHead(200).write(text); setImmediate(() => response.destroy()); }];
    const read = async (): Promise<object[]> => {
      const rows = [];
      for await (const row of vouch.relatedItemRows({ model_id: 'm' })) rows.push(row);
      return rows;
    };
    expect(await read()).toEqual([{ source_id: 'a "b", c\nd', target_id: 'é', rank: 1, score: 0.5 }, { source_id: '', target_id: 't', rank: 2, score: 0.25 }]);
    expect(received[0]?.url).toContain('output_format=csv');
    await expect(read()).rejects.toThrow('terminated');
  });
});

describe('uploads', () => {
  it('stream their files, report progress, and are repeated unless a file can be read only once', async () => {
    answers = [busy, json([{ batch_id: 'a' }], 201)];
    const progress: UploadProgress[] = [];
    const files = [{ name: 'a "1".csv', content: new Blob(['id,type\n']) }, { name: 'b.csv', content: 'x' }];
    expect(await vouch.uploadBatches(files, { tags: ['t'], onProgress: (each) => progress.push(each) })).toEqual([{ batch_id: 'a' }]);
    expect(received.length).toBe(2);
    expect(received[1]?.body).toBe(received[0]?.body);
    expect(received[1]?.body).toContain('name="files"; filename="a %221%22.csv"\r\ncontent-type: application/octet-stream\r\n\r\nid,type\n\r\n--');
    const size = Buffer.byteLength(received[1]?.body ?? '');
    expect(progress.at(-1)).toEqual({ sentBytes: size, totalBytes: size });
    [answers, received] = [[busy], []];
    await expect(vouch.uploadBatches([{ name: 'c.csv', content: (async function* () { yield Buffer.from('c'); })() }])).rejects.toMatchObject({ code: 'overloaded' });
    expect(received.length).toBe(1);
  });

  it('end with the error of the content or of onProgress itself, without a repeat', async () => {
    const lost = new Error('the disk was removed');
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('id\n');
      throw lost;
    };
    await expect(vouch.uploadBatches([{ name: 'c.csv', content: failing() }])).rejects.toBe(lost);
    const onProgress = (): void => { throw lost; };
    await expect(vouch.uploadBatches([{ name: 'c.csv', content: 'id\n' }], { onProgress })).rejects.toBe(lost);
  });
});

describe('waiting', () => {
  it('ends with the record, or with the problem of a training that failed', async () => {
    const looks: number[] = [];
    answers = [json({ status: 'running', progress: 0.5 }), json({ status: 'completed', progress: 1 })];
    expect(await vouch.waitForModel('m', { onProgress: ({ progress }) => looks.push(progress) })).toMatchObject({ status: 'completed' });
    expect(looks).toEqual([0.5, 1]);
    answers = [json({ status: 'error', error: { code: 'no-usable-data', detail: 'No interactions.' } })];
    await expect(vouch.waitForRun('r')).rejects.toMatchObject({ code: 'no-usable-data', message: 'No interactions.' });
    answers = [json({ status: 'running' })];
    const stop = new AbortController();
    await expect(vouch.waitForRun('r', { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  it('goes on while the server is away after its first answer, and not where the first answer is missing or the server refuses', async () => {
    const once = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, retries: 0 });
    const away: Answer = (response) => response.socket?.destroy();
    answers = [json({ status: 'running' }), away, busy, json({ code: 'draining' }, 502), json({ status: 'completed' })];
    expect(await once.waitForModel('m')).toMatchObject({ status: 'completed' });
    answers = [away, json({ status: 'completed' })];
    await expect(once.waitForModel('m')).rejects.toThrow('fetch failed');
    answers = [json({ status: 'running' }), json({ code: 'revoked-key' }, 401), json({ status: 'completed' })];
    await expect(once.waitForModel('m')).rejects.toMatchObject({ code: 'revoked-key' });
  });
});

describe('callbacks', () => {
  it('are trusted only with the signature of the secret', () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const body = JSON.stringify({ type: 'model.training.completed', timestamp: 'x', data: { model_id: 'm' } });
    const now = new Date();
    const headers = { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)), 'webhook-signature': new Webhook(secret).sign('a', now, body) };
    expect(verifyCallback(secret, headers, body)).toMatchObject({ type: 'model.training.completed', data: { model_id: 'm' } });
    expect(verifyCallback(secret, new Headers(headers), body).type).toBe('model.training.completed');
    expect(() => verifyCallback(secret, headers, `${body} `)).toThrow('No matching signature');
    expect(() => verifyCallback(secret, {}, body)).toThrow('Missing required headers');
  });
});

describe('the package', () => {
  it('has less than 15 kB for browsers, without a module of Node', async () => {
    const { outputFiles } = await esbuild.build({
      stdin: { contents: "export * from './client.ts'; export * from './callbacks.ts'; export * from './problem.ts';", resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
      bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'silent',
    });
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(15_000);
  });
});
