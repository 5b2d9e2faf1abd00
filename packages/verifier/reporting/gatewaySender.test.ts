import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testAccount } from '@vouch/chain/testing/testChain';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, describe, expect, it } from 'vitest';
import { createGatewaySender } from './gatewaySender.ts';
import { SendFault, type Sender } from '../context/sender.ts';

const closing: (() => void)[] = [];
afterEach(() => { for (const close of closing.splice(0)) close(); });

/** @param limitMs upper limit of all waiting times, including the request timeout */
async function senderTo(answer: RequestListener, path = '', limitMs = Infinity): Promise<Sender> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => { server.closeAllConnections(); server.close(); });
  const { address, privateKey } = testAccount(7);
  return createGatewaySender({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, version: null, domain: { name: 'ProtocolService', version: '1.0.0', chainId: 31_337n }, node: address, privateKey,
    timers: { sleep: (ms, signal) => systemInterfaces.timers.sleep(Math.min(ms, limitMs), signal) },
  });
}

async function faultOf(answer: RequestListener, limitMs?: number): Promise<SendFault> {
  const sender = await senderTo(answer, '', limitMs);
  return sender.send({ kind: 'exit', expiredAt: 1n }, async () => {}).then(() => { throw new Error('it was accepted'); }, (error: unknown) => error as SendFault);
}

const says = (status: number, body: string, headers: Record<string, string> = {}): RequestListener => (_request, response) => void response.writeHead(status, headers).end(body);

describe('an answer of the gateway', () => {
  it.each<[string, RequestListener, 'unavailable' | 'refused', RegExp]>([
    ['HTML with 200', says(200, '<html>hello</html>'), 'unavailable', /HTTP 200/],
    ['HTML with 502', says(502, '<html>'), 'unavailable', /HTTP 502/],
    ['a list', says(200, '[1,2]'), 'unavailable', /HTTP 200/],
    ['null', says(200, 'null'), 'unavailable', /HTTP 200/],
    ['a code that is text', says(200, '{"code":"0","msg":"ok"}'), 'unavailable', /HTTP 200/],
    ['a code that is not 0', says(200, '{"code":7,"msg":"no room"}'), 'refused', /no room/],
    ['a refusal', says(400, '{"error":"Not chosen.","code":"not-chosen","reason":"not-chosen"}'), 'refused', /Not chosen/],
    ['a refusal without words', says(400, ''), 'refused', /without a readable reason/],
    ['a refusal of wrong types', says(400, '{"error":{"a":1},"code":[]}'), 'refused', /without a readable reason/],
    ['a redirect', says(302, '', { location: 'http://127.0.0.1:1/' }), 'unavailable', /HTTP 302/],
    ['a path that is not there', says(404, 'not found'), 'unavailable', /HTTP 404/],
    ['too many', says(429, '{"error":"slow down"}', { 'retry-after': '7' }), 'unavailable', /slow down/],
    ['an endless body', (_request, response) => {
      response.writeHead(200);
      const more = (): void => { while (response.write('x'.repeat(10_000))); response.once('drain', more); };
      more();
    }, 'unavailable', /more than 65536 bytes/],
    ['nothing', () => {}, 'unavailable', /did not answer/],
    ['half an answer', (_request, response) => { response.writeHead(200, { 'content-length': '1000' }).write('{"code":'); setImmediate(() => response.destroy()); }, 'unavailable', /closed the connection/],
    ['headers that never end', (request) => { request.socket.write('HTTP/1.1 200 OK\r\n'); }, 'unavailable', /did not answer/],
    ['no HTTP', (request) => { request.socket.end('hello\r\n\r\n'); }, 'unavailable', /sent an invalid HTTP answer/],
  ])('of %s becomes a sentence', async (_what, answer, kind, sentence) => {
    const fault = await faultOf(answer, sentence.source === 'did not answer' ? 500 : undefined);
    expect(fault).toBeInstanceOf(SendFault);
    expect([fault.kind, fault.message]).toEqual([kind, expect.stringMatching(sentence)]);
    expect(fault.message).not.toMatch(/\n/);
  });

  it('is believed only so far: how long to wait is bounded text, what is said is shortened', async () => {
    expect((await faultOf(says(503, '{}', { 'retry-after': '7' }))).retryAfterSeconds).toBe(7);
    expect((await faultOf(says(503, '{}', { 'retry-after': '99999999999' }))).retryAfterSeconds).toBe(null);
    expect((await faultOf(says(400, JSON.stringify({ error: 'x\n'.repeat(5_000) })))).message.length).toBeLessThan(500);
  });

  it('may be of a gateway whose address has the prefix of the paths already', async () => {
    const paths: string[] = [];
    for (const path of ['', '/explorer_alphanet', '/explorer', '/under/here']) {
      const sender = await senderTo((request, response) => { paths.push(request.url ?? ''); response.end('{"code":0,"msg":"ok","data":null}'); }, path);
      await sender.send({ kind: 'exit', expiredAt: 1n }, async () => {});
    }
    expect(paths).toEqual(['/explorer_alphanet/send_tx_node_exit', '/explorer_alphanet/send_tx_node_exit', '/explorer/send_tx_node_exit', '/under/here/explorer_alphanet/send_tx_node_exit']);
  });
});
