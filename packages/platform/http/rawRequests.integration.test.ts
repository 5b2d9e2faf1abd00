import { connect } from 'node:net';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { typed } from './request.ts';
import type { ServerOptions } from './server.ts';
import { parseAnswer, sendRaw, startTestServer, type TestServer } from '../testing/testServer.ts';

// Requests that clients and proxies can send but an HTTP library would not, written byte by byte.

let database: TestDatabase;
let at: TestServer;
/** A server that waits only 0.3 s for requests. */
let hasty: TestServer;

beforeAll(async () => {
  database = await openTestDatabase();
  const start = (options: Partial<ServerOptions>): Promise<TestServer> => startTestServer(database, {
    ...options,
    routes: [(server) => {
      const routes = typed(server);
      routes.get('/v1/items', { config: { scope: 'recommend:read' } }, async () => []);
      routes.post('/v1/train', {
        config: { scope: 'model:train' },
        schema: { body: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1 })) }) },
      }, async (request) => request.body);
    }],
  });
  at = await start({ limits: { maxBodyBytes: 1000 } });
  hasty = await start({ limits: { bodyTimeoutMs: 300, headersTimeoutMs: 300 } });
});

afterAll(async () => {
  await at.server.close();
  await hasty.server.close();
  await database.close();
});

const everything = 'o:recommend:read,model:train';

describe('a request on the wire', () => {
  it.each<[string, string, number, string]>([
    ['what is not HTTP', 'EHLO mail\r\n\r\n', 400, 'malformed-request'],
    ['a broken chunk', `POST /v1/train HTTP/1.1\r\nHost: x\r\napikey: ${everything}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, 'malformed-request'],
    ['two lengths', 'POST /v1/train HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400, 'malformed-request'],
    ['headers that never end', 'GET /healthz HTTP/1.1\r\nHost: x\r\n', 408, 'request-timeout'],
    ['a body that stops', `POST /v1/train HTTP/1.1\r\nHost: x\r\napikey: ${everything}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"da`, 408, 'request-timeout'],
  ])('%s is answered on the socket and the connection ends', async (_name, bytes, status, code) => {
    const { port } = status === 408 ? hasty : at;
    const answer = parseAnswer((await sendRaw(port, bytes)).text);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  it.each<[string, string, string]>([
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 'no Host header'],
    ['no Host at a route that needs a key', 'GET /v1/items HTTP/1.1\r\napikey: o:recommend:read\r\n\r\n', 'no Host header'],
    ['two of Host', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhOST: a\r\n\r\n', '2 Host headers'],
    ['two of Host in HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', '2 Host headers'],
    ['a Host that is none', 'GET /healthz HTTP/1.1\r\nHost: a/b@c\r\n\r\n', '"a/b@c"'],
    ['two hosts in one Host', 'GET /healthz HTTP/1.1\r\nHost: a, b\r\n\r\n', '"a, b"'],
    ['HTTP/0.9', 'GET /healthz\r\n\r\n', 'HTTP/0.9'],
    ['HTTP/2.0 without its preface', 'GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n', ''],
  ])('%s is 400 and ends the connection', async (_name, bytes, detail) => {
    const answer = parseAnswer((await sendRaw(at.port, bytes)).text);
    expect([answer.status, answer.body['code']]).toEqual([400, 'malformed-request']);
    expect(answer.body['detail']).toContain(detail);
  });

  it.each(['GET /healthz HTTP/1.0\r\n\r\n', 'GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nhost: [::1]:8080\r\nConnection: close\r\n\r\n'])('answers %j', async (bytes) => {
    expect((await sendRaw(at.port, bytes)).text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('answers a refused upload before its body, and asks for no body it will refuse', async () => {
    const seen = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port: at.port }, () => socket.write(
        'POST /v1/train HTTP/1.1\r\nHost: x\r\napikey: nobody\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n',
      ));
      socket.on('data', (chunk) => { text += chunk.toString(); });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });
    expect(seen).toMatch(/^HTTP\/1\.1 401 /);
    expect(seen).not.toContain('100 Continue');
  });

  it('asks for the body of an accepted request with 100 Continue', async () => {
    const seen = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port: at.port }, () => socket.write(
        `POST /v1/train HTTP/1.1\r\nHost: x\r\nConnection: close\r\napikey: ${everything}\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`,
      ));
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (text.includes('100 Continue') && !text.includes('200 OK')) socket.write('{"days":7}');
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });
    expect(seen).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });
});
