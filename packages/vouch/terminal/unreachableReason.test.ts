import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '@vouch/client/client';
import { isUnreachable, unreachableReason } from './unreachableReason.ts';

const servers: Server[] = [];
afterEach(() => { for (const server of servers.splice(0)) server.close(); });

/** A server that answers each connection with these bytes, and closes it. @returns host and port */
async function answering(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function reasonOf(url: string): Promise<string> {
  const error: unknown = await createClient({ url, retries: 0 }).getHealth().catch((thrown: unknown) => thrown);
  expect(isUnreachable(error)).toBe(true);
  return unreachableReason(url, error as Error);
}

it('names the cause that fetch hides: the connection, TLS, HTTP, a redirect or a port', async () => {
  const closed = await answering('');
  servers.pop()?.close();
  const closing = await answering('');
  const plain = await answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  const ssh = await answering('SSH-2.0-OpenSSH_9.2\r\n');
  const redirecting = await answering('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n');
  const cases: [string, string | RegExp][] = [
    [`http://${closed}`, `${closed} refuses connections (ECONNREFUSED)`],
    [`https://${plain}`, /^127\.0\.0\.1:\d+ violates the TLS protocol \((ERR_SSL_[A-Z_]+|EPROTO)\)$/],
    [`http://${closing}`, `${closing} closed the connection before the answer was complete (UND_ERR_SOCKET)`],
    [`http://${ssh}`, /^127\.0\.0\.1:\d+ sent an invalid HTTP answer, or more bytes than announced( \(HPE_[A-Z_]+\))?$/],
    [`http://${redirecting}`, `${redirecting} redirects to another URL, which could send the key to another server`],
    ['http://127.0.0.1:22', /^127\.0\.0\.1:22 has a port that no HTTP request may use/],
  ];
  for (const [url, reason] of cases) expect(await reasonOf(url)).toMatch(reason);
});

it('quotes what it does not know, and takes no error of the program for a missing answer', () => {
  const failed = (cause: Error): Error => new TypeError('fetch failed', { cause });
  expect(unreachableReason('http://h:1', failed(Object.assign(new Error('x'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })))).toBe('h:1 has no valid certificate (DEPTH_ZERO_SELF_SIGNED_CERT)');
  expect(unreachableReason('http://h:1', failed(Object.assign(new Error('x'), { code: 'ENOTFOUND' })))).toBe('h:1 could not be resolved (DNS) (ENOTFOUND)');
  expect(unreachableReason('http://h:1', failed(Object.assign(new Error('x'), { code: 'E_NEW' })))).toBe('h:1 could not be reached (E_NEW)');
  expect(unreachableReason('http://h:1', failed(new Error('something else')))).toBe('h:1 could not be reached (something else)');
  expect(unreachableReason('http://h:1', new DOMException('http://h:1/healthz did not answer within 5 ms.', 'TimeoutError'))).toBe('http://h:1/healthz did not answer within 5 ms');
  expect(isUnreachable(new TypeError('x is not a function'))).toBe(false);
});
