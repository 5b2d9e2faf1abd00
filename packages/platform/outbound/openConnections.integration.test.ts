import { createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { systemInterfaces, type Timers } from '../process/systemInterfaces.ts';
import { connectGuarded } from './connectGuarded.ts';
import { openConnections, type Connections } from './openConnections.ts';
import { OutboundFailed } from './outbound.ts';
import type { AgentOptions } from './openAgents.ts';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface RawServer {
  url: URL;
  /** All accepted connections, in order. */
  sockets: Socket[];
}

/** Starts a server that calls `answer` for each request. */
async function serve(answer: (socket: Socket, path: string) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (part) => answer(socket, part.toString().split(' ')[1] ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => {
    for (const socket of sockets) socket.destroy();
    server.close(resolve);
  }));
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), sockets };
}

function open(options: Partial<AgentOptions> = {}, timers: Timers = systemInterfaces.timers): Connections {
  const connections = openConnections({ connectionsPerOrigin: 4, keep: true, ...options }, timers);
  closing.push(() => connections.close());
  return connections;
}

const whole = (socket: Socket, body: string): void => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
const get = async (connections: Connections, url: URL): Promise<string> => text((await connections.send(url, { method: 'GET' })).body);
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

describe('a connection', () => {
  it.each([[true, 1], [false, 3]])('serves further requests only where that is wanted: keep %s, %i connections for 3', async (keep, count) => {
    const { url, sockets } = await serve((socket, path) => whole(socket, path));
    const connections = open({ keep });
    for (const path of ['/a', '/b', '/c']) expect(await get(connections, new URL(path, url))).toBe(path);
    expect(sockets.length).toBe(count);
  });

  it('on which something comes that nobody asked for serves no further request', async () => {
    const { url, sockets } = await serve((socket, path) => whole(socket, path));
    const connections = open();
    expect(await get(connections, new URL('/first', url))).toBe('/first');
    const [first] = sockets as [Socket];
    first.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison');
    await closed(first);
    expect(await get(connections, new URL('/second', url))).toBe('/second');
    expect(sockets.length).toBe(2);
  });

  it('is one of few to an origin; a request that waits for one ends with its signal', async () => {
    const held: Socket[] = [];
    const { url, sockets } = await serve((socket) => held.push(socket));
    const connections = open({ connectionsPerOrigin: 2 });
    const answers = Array.from({ length: 6 }, () => get(connections, url));
    const cancel = new AbortController();
    const waiting = connections.send(url, { method: 'GET', signal: cancel.signal });
    cancel.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    for (let answered = 0; answered < 6; answered += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      whole(held.shift() as Socket, 'x');
    }
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 6 }, () => 'x'));
    expect(sockets.length).toBe(2);
  });

  it('goes to the next address of a name where the first refuses', async () => {
    const { url } = await serve((socket, path) => whole(socket, path));
    const guarded = open({ guard: (connect) => connectGuarded(connect, async () => ['::1', '127.0.0.1'], [`two.test:${url.port}`]) });
    expect(await get(guarded, new URL(`http://two.test:${url.port}/there`))).toBe('/there');
    const nobody = open({ guard: (connect) => connectGuarded(connect, async () => ['::1', '127.0.0.1'], ['two.test:1']) });
    await expect(get(nobody, new URL('http://two.test:1/'))).rejects.toThrow('two.test:1 refuses connections');
  });

  it('to a server that does not speak TLS fails with a sentence', async () => {
    const { url } = await serve((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(get(open(), new URL(`https://${url.host}/`))).rejects.toThrow(/^127.0.0.1:\d+ violates the TLS protocol/);
  });

  it('fails every request once all are closed', async () => {
    const { url, sockets } = await serve(() => {});
    const connections = open();
    const under = connections.send(url, { method: 'GET' });
    under.catch(() => {});
    await expect.poll(() => sockets.length).toBe(1);
    connections.close();
    await expect(under).rejects.toBeInstanceOf(OutboundFailed);
    await expect(connections.send(url, { method: 'GET' })).rejects.toBeInstanceOf(OutboundFailed);
    expect(sockets.length).toBe(1);
  });
});

describe('an answer', () => {
  it('that fails before anybody reads it fails for the reader, and not for the process', async () => {
    const { url } = await serve((socket) => void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzebra\r\n'));
    const { body } = await open().send(url, { method: 'GET' });
    await expect.poll(() => body.destroyed).toBe(true);
    await expect(text(body)).rejects.toThrow(/^127.0.0.1:\d+ sent an invalid HTTP answer, or more bytes than announced$/);
  });

  it('is silent where a reader waits, not where the reader pauses', async () => {
    const wakes: (() => void)[] = [];
    const timers: Timers = {
      sleep: (milliseconds, signal, holding) => (milliseconds === 1_234 ? new Promise((resolve) => wakes.push(resolve)) : systemInterfaces.timers.sleep(milliseconds, signal, holding)),
    };
    const size = 1_000_000;
    const { url } = await serve((socket) => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size + 1}\r\n\r\n${'x'.repeat(size)}`));
    const { body } = await open({}, timers).send(url, { method: 'GET', silenceMs: 1_234 });
    const limitPasses = async (): Promise<void> => {
      await expect.poll(() => wakes.length).toBe(1);
      wakes.shift()?.();
    };
    // The first read fills the buffer, then the body pauses. This pause of the reader never counts as silence of the server.
    body.read(0);
    await expect.poll(() => body.readableLength).toBeGreaterThan(100_000);
    for (let turn = 0; turn < 3; turn += 1) await limitPasses();
    expect(body.destroyed).toBe(false);
    const read = text(body);
    read.catch(() => {});
    for (let turn = 0; turn < 50 && !body.destroyed; turn += 1) {
      await limitPasses();
      await systemInterfaces.timers.sleep(20);
    }
    await expect(read).rejects.toThrow('sent nothing of its answer for 1.234 s');
  });
});
