import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../testing/testDatabase.ts';
import { sharedTestDatabase } from '../testing/sharedTestDatabase.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import type { ServerOptions } from './server.ts';
import { parseAnswer, startTestServer, type TestServer } from '../testing/testServer.ts';

const openDatabase = sharedTestDatabase();
let database: TestDatabase;
let at: TestServer;
let metrics: Registry;
let now: number;
const sockets: Socket[] = [];
/** Connections whose answers to `/v1/late` wait for the event `late` of `answer`. */
const late: Socket[] = [];
const answer = new EventEmitter();
const logged: Record<string, unknown>[] = [];
/** Larger than the kernel's socket buffers, so an answer that nobody reads stays in the server. */
const large = 'x'.repeat(16_000_000);
const key = 'o:data:read';

beforeEach(async () => {
  now = Date.now();
  database = await openDatabase();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  logged.length = 0;
  late.length = 0;
  await at.server.close();
  await database.close();
});

async function start(options: Partial<ServerOptions>, clock = systemInterfaces.clock): Promise<void> {
  metrics = new Registry();
  at = await startTestServer(database, {
    system: { ...systemInterfaces, clock, elapsedMs: clock.now },
    metrics,
    log: createLogger('info', { write: (line: string) => { logged.push(JSON.parse(line) as Record<string, unknown>); } }),
    routes: [(server) => {
      server.get('/v1/item', { config: { scope: 'data:read' } }, async () => ({ done: true }));
      server.get('/v1/large', { config: { scope: null } }, async () => large);
      server.get('/v1/stream', { config: { scope: null } }, async (_request, reply) => reply.send(Readable.from([large], { objectMode: false })));
      server.get('/v1/late', { config: { scope: null } }, async (request, reply) => {
        late.push(request.raw.socket);
        await once(answer, 'late');
        return reply.send(Readable.from([large], { objectMode: false }));
      });
      server.post('/v1/open', { config: { scope: null } }, async (request) => request.body);
    }],
    ...options,
  });
}

/** Opens a connection and writes the text; reads the answers unless `reads` is false. */
async function open(text: string, { reads = true, from = '127.0.0.1' } = {}): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: at.port, localAddress: from });
  sockets.push(socket);
  // The tests cause resets of some connections.
  socket.on('error', () => {});
  if (reads) socket.resume();
  else socket.pause();
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

function openMany(count: number, text: string, options?: Parameters<typeof open>[1]): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => open(text, options)));
}

/** Returns all text that arrives until the connection ends. */
function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => { text += piece; }).once('close', () => resolve(text));
  });
}

const stillOpen = (all: readonly Socket[]): Socket[] => all.filter((socket) => !socket.closed);
const item = (headers: Record<string, string> = {}): Promise<Response> => fetch(`${at.url}/v1/item`, { headers: { apikey: key, ...headers } });
const measured = async (name: string): Promise<number> => (await metrics.getSingleMetric(name)?.get())?.values[0]?.value ?? NaN;
const drip = 'POST /v1/open HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
const halfHead = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';

describe('requests that do not arrive', () => {
  it('take no place of those in work: 150 bodies byte by byte, and everybody else is answered', async () => {
    await start({ limits: { maxInFlight: 10 } });
    const drippers = await openMany(150, drip);
    const connections = (): Promise<number> => new Promise((resolve) => at.server.server.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections).toBe(150);
    for (const socket of drippers) socket.write('"');
    expect((await item()).status).toBe(200);
    expect(await (await fetch(`${at.url}/readyz`)).json()).toMatchObject({ status: 'ready' });
    expect(await measured('vouch_http_requests_in_flight')).toBe(0);
    expect(stillOpen(drippers)).toHaveLength(150);
  });

  it('have a time for the whole body, however often a byte comes', async () => {
    await start({ limits: { bodyTimeoutMs: 300 } });
    const socket = await open(drip.replace('Length: 9', 'Length: 900'));
    const dripping = setInterval(() => socket.writable && socket.write(' '), 100);
    const answer = parseAnswer(await readAll(socket).finally(() => clearInterval(dripping)));
    expect([answer.status, answer.body['code']]).toEqual([408, 'request-timeout']);
    expect(answer.body['detail']).toContain('0.3 seconds');
  });

  it.each([
    ['nothing', ''],
    ['half of the headers', halfHead],
    ['a part of a body', drip],
  ])('of one IP address are bounded, where it sends %s: the one longest waited for goes', async (_what, text) => {
    await start({ limits: { maxWaitingPerAddress: 8, maxInFlight: 100 } });
    const elsewhere = process.platform === 'linux' ? await open(text, { from: '127.0.0.2' }) : null;
    const first = await openMany(4, text);
    const others = await openMany(20, text);
    await expect.poll(() => stillOpen([...first, ...others]).length).toBe(8);
    expect(stillOpen(first)).toEqual([]);
    // A client that completes its request gets through, even from the attacker's IP address.
    expect((await item()).status).toBe(200);
    if (elsewhere !== null) expect(elsewhere.closed).toBe(false);
  });

  it('are told why, where a body is waited for', async () => {
    await start({ limits: { maxWaitingPerAddress: 1 } });
    const socket = await open(drip.replace('Host: x', 'Host: x\r\nExpect: 100-continue'));
    // The server now waits for the body, not for headers.
    const [asked] = await once(socket, 'data') as [Buffer];
    expect(asked.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const all = readAll(socket);
    await open(drip);
    const answer = parseAnswer(await all);
    expect([answer.status, answer.body['code']]).toEqual([503, 'overloaded']);
    expect(answer.body['detail']).toContain('same IP address');
  });

  it('are bounded over all IP addresses too', async () => {
    await start({ limits: { maxWaitingPerAddress: 0, maxWaiting: 8 } });
    const all = await openMany(20, halfHead);
    await expect.poll(() => stillOpen(all).length).toBe(8);
    expect((await item()).status).toBe(200);
  });

  it('are counted by client behind a trusted proxy, whose own connections are not', async () => {
    await start({ limits: { maxWaitingPerAddress: 2 }, trustedProxies: ['127.0.0.1'] });
    const idle = await openMany(10, '');
    const of = (client: string): string => drip.replace('Host: x', `Host: x\r\nX-Forwarded-For: ${client}`);
    const one = await openMany(5, of('192.0.2.1'));
    const other = await openMany(2, of('192.0.2.2'));
    await expect.poll(() => stillOpen(one).length).toBe(2);
    expect([stillOpen(idle).length, stillOpen(other).length]).toEqual([10, 2]);
  });

  it('do not keep a connection with blank lines', async () => {
    await start({ limits: { idleTimeoutMs: 300 } });
    const socket = await open('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const dripping = setInterval(() => socket.writable && socket.write('\r\n'), 100);
    expect(await readAll(socket).finally(() => clearInterval(dripping))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('answers that are not read', () => {
  it('take no place of requests in work, and connections that are kept are closed before those that ask', async () => {
    await start({ limits: { maxInFlight: 4, maxWaitingPerAddress: 20 } });
    await openMany(16, 'GET /v1/large HTTP/1.1\r\nHost: x\r\n\r\n', { reads: false });
    await expect.poll(() => measured('vouch_http_connections_waiting')).toBe(16);
    expect((await item()).status).toBe(200);
  });

  it('take no place among streamed answers if their client left before they began', async () => {
    await start({ limits: { maxStreams: 2 } });
    for (let left = 0; left < 3; left++) {
      const socket = await open('GET /v1/late HTTP/1.1\r\nHost: x\r\n\r\n');
      await expect.poll(() => late.length).toBe(left + 1);
      socket.destroy();
      await new Promise((resolve) => late[left]!.once('close', resolve));
      answer.emit('late');
    }
    expect((await (await fetch(`${at.url}/v1/stream`)).text()).length).toBe(large.length);
    await expect.poll(() => measured('vouch_http_answers_streaming')).toBe(0);
  });

  it('lose their place to others where too many are streamed', async () => {
    await start({ limits: { maxInFlight: 1, maxStreams: 2 } }, { now: () => now });
    const readers: Socket[] = [];
    for (let reader = 0; reader < 2; reader++) {
      readers.push(await open('GET /v1/stream HTTP/1.1\r\nHost: x\r\n\r\n', { reads: false }));
      await expect.poll(() => measured('vouch_http_answers_streaming')).toBe(reader + 1);
      now += 1_000;
    }
    const refused = await fetch(`${at.url}/v1/stream`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    now += 10_000;
    expect((await (await fetch(`${at.url}/v1/stream`)).text()).length).toBe(large.length);
    // Only a connection that is read detects its end, which Node 24 reports as ECONNRESET before `close`.
    const ended = readers.map((reader) => new Promise((resolve) => reader.resume().on('error', () => {}).once('close', resolve)));
    await ended[0];
    expect(readers[1]?.closed).toBe(false);
  });
});

describe('pipelined requests', () => {
  it('are begun one after the other, so that none is where the first answer is not read', async () => {
    await start({});
    await open(`GET /v1/large HTTP/1.1\r\nHost: x\r\n\r\n${`GET /v1/item HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(10)}`, { reads: false });
    await expect.poll(() => measured('vouch_http_connections_waiting')).toBe(1);
    expect((await item()).status).toBe(200);
    expect(logged.filter(({ route }) => route === '/v1/item')).toHaveLength(1);
  });

  it('are answered in their order', async () => {
    await start({});
    const get = `GET /v1/item HTTP/1.1\r\nHost: x\r\napikey: ${key}\r\n`;
    const text = await readAll(await open(`${`${get}\r\n`.repeat(15)}${get}Connection: close\r\n\r\n`));
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(16);
  });

  it('close the connection where too many are unanswered', async () => {
    await start({});
    const socket = await open('GET /v1/item HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
    await readAll(socket);
    expect(logged.filter(({ route }) => route === '/v1/item').length).toBeLessThanOrEqual(16);
    expect((await item()).status).toBe(200);
  });
});

describe('wrong keys', () => {
  it('are answered with 429 after a hundred of one IP address, and a right key as ever', async () => {
    await start({ authenticate: async (sent) => (sent === key ? { organizationId: 'o', keyId: 'k', scopes: ['data:read'] } : null) }, { now: () => now });
    const statuses: number[] = [];
    for (let wrong = 0; wrong < 200; wrong++) statuses.push((await item({ apikey: `wrong ${wrong}` })).status);
    expect(statuses).toEqual([...Array<number>(100).fill(401), ...Array<number>(100).fill(429)]);
    expect((await item()).status).toBe(200);
    const refused = await item({ apikey: 'wrong' });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ code: 'too-many-wrong-keys', status: 429 });
    // Rejections over the limit are logged in one line, and counted.
    expect(logged.filter(({ status }) => status === 401)).toHaveLength(100);
    expect(logged.filter(({ status }) => status === 429)).toHaveLength(0);
    expect(logged.filter((line) => line['client_address'] === '127.0.0.1')).toHaveLength(1);
    expect(await metrics.getSingleMetricAsString('vouch_http_wrong_keys_total')).toContain('{outcome="refused"} 101');
    now += 1_000;
    expect((await item({ apikey: 'wrong' })).status).toBe(401);
  });

  it('are counted by client behind a trusted proxy', async () => {
    await start({ authenticate: async () => null, trustedProxies: ['127.0.0.0/8'] }, { now: () => now });
    const send = async (client: string): Promise<number> => (await item({ 'x-forwarded-for': client })).status;
    for (let wrong = 0; wrong < 100; wrong++) await send('192.0.2.1');
    expect([await send('192.0.2.1'), await send('192.0.2.2'), await send('192.0.2.1, 192.0.2.3')]).toEqual([429, 401, 401]);
  });

  it('of an address that nobody trusts as a proxy are its own', async () => {
    await start({ authenticate: async () => null }, { now: () => now });
    for (let wrong = 0; wrong < 100; wrong++) await item({ 'x-forwarded-for': `192.0.2.${wrong}` });
    expect((await item({ 'x-forwarded-for': '192.0.2.99' })).status).toBe(429);
  });
});
