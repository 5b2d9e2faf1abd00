import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { Problem } from '../errors/problem.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { connectGuarded, type Connect, type Lookup } from './connectGuarded.ts';
import { createOutbound } from './createOutbound.ts';
import { openConnections } from './openConnections.ts';
import type { OutboundHttp, OutboundRequest } from './outbound.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(listener: RequestListener): Promise<{ port: number; connections: () => number }> {
  const server: Server = createServer(listener);
  let connections = 0;
  server.on('connection', () => { connections += 1; });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  }));
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

function open(allowPrivateAddresses: boolean | string[], lookup?: Lookup): OutboundHttp {
  const outbound = createOutbound({ allowPrivateAddresses, lookup }, systemInterfaces.timers);
  closing.push(() => outbound.close());
  return outbound;
}

function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { url, method: 'GET', headersTimeoutMs: 240_000, bodyTimeoutMs: 240_000, maxRedirects: 0, ...more };
}

async function refusedWith(promise: Promise<unknown>, reason: string): Promise<void> {
  const error = await promise.then(() => null, (caught: unknown) => caught);
  expect(error).toBeInstanceOf(Problem);
  expect((error as Problem).code).toBe('address-refused');
  expect((error as Problem).detail).toContain(reason);
}

describe('no connection is opened', () => {
  it('to a literal loopback address in any spelling', async () => {
    const { port, connections } = await serve((_request, answer) => answer.end('inside'));
    const outbound = open(false);
    for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0', '[::ffff:127.0.0.1]', 'localhost']) {
      await refusedWith(outbound.request(get(`http://${host}:${port}/`)), 'is not allowed');
    }
    expect(connections()).toBe(0);
  });

  it('to a name of which one address is private', async () => {
    const { port, connections } = await serve((_request, answer) => answer.end('inside'));
    const outbound = open(false, async () => ['8.8.8.8', '127.0.0.1']);
    await refusedWith(outbound.request(get(`http://rebind.example:${port}/?key=hidden`)), 'the host resolves to a loopback IP address');
    await refusedWith(outbound.request(get(`https://rebind.example:${port}/`)), 'the host resolves to a loopback IP address');
    expect(connections()).toBe(0);
  });

  it('to a private address that a redirect names', async () => {
    const inside = await serve((_request, answer) => answer.end('inside'));
    const outside = await serve((_request, answer) => answer.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end());
    const outbound = open([`hop.example:${outside.port}`], async () => ['127.0.0.1']);
    await refusedWith(outbound.request(get(`http://hop.example:${outside.port}/`, { maxRedirects: 3 })), 'loopback');
    expect(outside.connections()).toBe(1);
    expect(inside.connections()).toBe(0);
  });

  it('that gets a byte where the socket says its peer is private although the checked address was not', async () => {
    const got: Buffer[] = [];
    const server = createTcpServer((socket) => socket.on('error', () => {}).on('data', (part) => got.push(part)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const guard = (connect: Connect): Connect => connectGuarded((options) => connect({ ...options, host: '127.0.0.1' }), async () => ['8.8.8.8'], false);
    const connections = openConnections({ connectionsPerOrigin: 1, keep: true, guard }, systemInterfaces.timers);
    await refusedWith(connections.send(new URL(`http://a.example:${port}/`), { method: 'GET' }), 'the connection leads to a private IP address');
    connections.close();
    await new Promise((resolve) => server.close(resolve));
    expect(got).toEqual([]);
  });

  it('to a literal private address that only the connection itself would see', async () => {
    const { port, connections: count } = await serve((_request, answer) => answer.end('inside'));
    const guard = (connect: Connect): Connect => connectGuarded(connect, async () => ['127.0.0.1'], false);
    const connections = openConnections({ connectionsPerOrigin: 1, keep: true, guard }, systemInterfaces.timers);
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', 'name.example']) {
      await refusedWith(connections.send(new URL(`http://${host}:${port}/`), { method: 'GET' }), 'is not allowed');
    }
    connections.close();
    expect(count()).toBe(0);
  });
});

describe('a request', () => {
  it('goes to the address that was looked up once, with the name in the Host header', async () => {
    const { port } = await serve((request, answer) => answer.setHeader('x-host', request.headers.host ?? '').end(request.url));
    let lookups = 0;
    const outbound = open([`named.example:${port}`], async () => { lookups += 1; return ['127.0.0.1']; });
    const answer = await outbound.request(get(`http://named.example:${port}/a?b=c`));
    expect(answer.status).toBe(200);
    expect(answer.headers['x-host']).toBe(`named.example:${port}`);
    expect(await text(answer.body)).toBe('/a?b=c');
    expect(lookups).toBe(1);
  });

  it('returns a redirect itself, or follows up to the given number', async () => {
    const { port } = await serve((request, answer) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) answer.writeHead(302, { location: `/${left - 1}` });
      answer.end('arrived');
    });
    const outbound = open(true);
    const first = await outbound.request(get(`http://127.0.0.1:${port}/2`));
    expect(first.status).toBe(302);
    first.body.destroy();
    const last = await outbound.request(get(`http://127.0.0.1:${port}/2`, { maxRedirects: 2 }));
    expect([last.status, last.url, await text(last.body)]).toEqual([200, `http://127.0.0.1:${port}/0`, 'arrived']);
    await expect(outbound.request(get(`http://127.0.0.1:${port}/3`, { maxRedirects: 2 })))
      .rejects.toThrow(`127.0.0.1:${port} redirected more than 2 times`);
  });

  it('does not carry credentials to another origin', async () => {
    const second = await serve((request, answer) => answer.end(`${request.headers.authorization} ${request.headers['x-kept']}`));
    const first = await serve((_request, answer) => answer.writeHead(307, { location: `http://127.0.0.1:${second.port}/` }).end());
    const answer = await open(true).request(get(`http://127.0.0.1:${first.port}/`, {
      maxRedirects: 1, headers: { Authorization: 'Bearer x', 'x-kept': 'yes' },
    }));
    expect(await text(answer.body)).toBe('undefined yes');
  });

  it('fails with a sentence where the host hangs, refuses, is unknown or breaks off', async () => {
    const { port } = await serve((request, answer) => {
      if (request.url === '/silent') answer.writeHead(200).write('some');
      if (request.url === '/cut') answer.writeHead(200, { 'content-length': '100' }).write('some', () => answer.destroy());
    });
    const outbound = open(true, async () => { throw Object.assign(new Error('x'), { code: 'ENOTFOUND' }); });
    const at = (path: string, more: Partial<OutboundRequest> = {}): Promise<string> =>
      outbound.request(get(`http://127.0.0.1:${port}${path}`, more)).then((answer) => text(answer.body));
    await expect(at('/hang?secret=hidden', { headersTimeoutMs: 200 }))
      .rejects.toThrow(new RegExp(`^127.0.0.1:${port} did not start to answer within 0.2 s$`));
    await expect(at('/silent', { bodyTimeoutMs: 200 })).rejects.toThrow('sent nothing of its answer for 0.2 s');
    await expect(at('/cut')).rejects.toThrow('closed the connection before the answer was complete');
    await expect(outbound.request(get('http://127.0.0.1:1/'))).rejects.toThrow('127.0.0.1:1 refuses connections');
    await expect(outbound.request(get('http://nowhere.example/'))).rejects.toThrow('nowhere.example could not be resolved (DNS)');
  });

  it('does not outlast its time while the name service hangs', async () => {
    const outbound = open(false, () => new Promise(() => {}));
    await expect(outbound.request(get('http://slow.example/?key=hidden', { headersTimeoutMs: 100 })))
      .rejects.toThrow(/^slow.example did not start to answer within 0.1 s$/);
  });

  it('ends with the signal, before and in the body', async () => {
    const { port } = await serve((request, answer) => {
      if (request.url === '/body') answer.writeHead(200).write('some');
    });
    const outbound = open(true);
    for (const path of ['/hang', '/body']) {
      const controller = new AbortController();
      const whole = outbound.request(get(`http://127.0.0.1:${port}${path}`, { signal: controller.signal }))
        .then((answer) => text(answer.body));
      const outcome = whole.then(() => 'whole', () => 'aborted');
      await systemInterfaces.timers.sleep(100);
      controller.abort(new Error('enough'));
      expect(await outcome).toBe('aborted');
    }
  });
});
