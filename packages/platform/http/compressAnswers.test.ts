import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compressAnswers } from './compressAnswers.ts';

const text = 'a page of the documentation\n'.repeat(200);
let server: FastifyInstance;
let opened = 0;
let closed = 0;

function file(): Readable {
  opened += 1;
  return Readable.from([Buffer.from(text)]).on('close', () => { closed += 1; });
}

beforeAll(async () => {
  server = Fastify();
  await server.register(async (scope) => {
    compressAnswers(scope);
    scope.get('/page', async (_request, reply) => reply.type('text/html').send(text));
    scope.get('/small', async (_request, reply) => reply.type('text/html').send('small'));
    scope.get('/picture', async (_request, reply) => reply.type('image/png').send(Buffer.alloc(5_000)));
    scope.get('/gone', async (_request, reply) => reply.code(404).type('text/html').send(text));
    scope.get('/files/*', async (_request, reply) => reply.type('text/css').header('content-length', text.length).send(file()));
    scope.get('/broken/*', async (_request, reply) => reply.type('text/css').send(Readable.from((async function* () { yield text; throw new Error('the disk failed'); })())));
  });
});
afterAll(() => server.close());

const get = (url: string, encoding = 'gzip, br') => server.inject({ url, headers: { 'accept-encoding': encoding } });

it.each(['/page', '/files/style.css'])('%s is compressed for those who accept gzip, and the content stays the same', async (url) => {
  for (let time = 0; time < 2; time++) {
    const { headers, rawPayload } = await get(url);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding', 'content-length': String(rawPayload.length) });
    expect(rawPayload.length).toBeLessThan(text.length / 4);
    expect(gunzipSync(rawPayload).toString()).toBe(text);
  }
  for (const encoding of ['', 'br', 'gzip;q=0', 'gzip; q=0.0, br']) {
    const { headers, body } = await get(url, encoding);
    expect([headers['content-encoding'], headers['vary'], body], encoding).toEqual([undefined, 'accept-encoding', text]);
  }
  expect((await get(url, 'gzip;q=0.5')).headers['content-encoding']).toBe('gzip');
});

it('closes the file whose compressed content is in memory', async () => {
  await get('/files/other.css');
  await get('/files/other.css');
  expect(closed).toBe(opened);
});

it('sends small answers, pictures, problems and files in another spelling as they are', async () => {
  for (const url of ['/small', '/picture', '/gone', '/files/sub/style.css', '/files/.style.css']) expect((await get(url)).headers['content-encoding'], url).toBe(undefined);
});

it('does not keep a failed answer', async () => {
  for (let time = 0; time < 2; time++) expect((await get('/broken/style.css')).statusCode).toBe(500);
});
