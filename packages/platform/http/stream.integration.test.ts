import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { jsonWithList, streamText } from './stream.ts';
import { sendRaw, startTestServer, type TestServer } from '../testing/testServer.ts';

let database: TestDatabase;
let at: TestServer;
const produced = { pieces: 0 };
const reused = { pieces: 120, bytes: 100_000, buffers: 0 };
const turns: number[] = [];
let ended: Promise<string>;
let hold: Promise<void>;
let proceed: () => void;

beforeAll(async () => {
  database = await openTestDatabase();
  at = await startTestServer(database, {
    routes: [(server) => {
      const open = { config: { scope: null } };
      server.get('/v1/rows', open, (_request, reply) => streamText(reply, 'text/csv; charset=utf-8', function* () {
        for (let row = 0; row < 50_000; row++) yield `${row},ü\n`;
      }));
      server.get('/v1/bytes', open, (_request, reply) => streamText(reply, 'text/csv', function* () {
        let turn = 0;
        const count = (): void => {
          turn++;
          if (turns.length < 200) setImmediate(count);
        };
        setImmediate(count);
        while (turns.length < 200) {
          turns.push(turn);
          yield Buffer.from('row\n');
        }
      }));
      server.get('/v1/json', open, (_request, reply) => streamText(reply, 'application/json; charset=utf-8', () =>
        jsonWithList({ model_id: 'm' }, 'items', [{ a: 1 }, { a: 2 }])));
      server.get('/v1/first', open, (_request, reply) => streamText(reply, 'text/csv', async function* () {
        yield 'header\n';
        await hold;
        yield 'row\n';
      }));
      server.get('/v1/fails-late', open, (_request, reply) => streamText(reply, 'text/csv', async function* () {
        yield 'header\n';
        await hold;
        throw new Error('lost');
      }));
      server.get('/v1/fails-at-once', open, (_request, reply) => streamText(reply, 'text/csv', async function* () {
        yield fail();
      }));
      server.get('/v1/endless', open, (_request, reply) => {
        const done = new Promise<string>((resolve) => {
          void streamText(reply, 'text/csv', async function* (signal) {
            try {
              for (;;) {
                produced.pieces++;
                yield 'x'.repeat(100_000);
              }
            } finally {
              resolve(signal.aborted ? 'aborted' : 'ended');
            }
          });
        });
        ended = done;
        return reply;
      });
      server.get('/v1/reused', open, (_request, reply) => streamText(reply, 'text/csv', function* (_signal, pendingBytes) {
        const buffers: { bytes: Buffer; end: number }[] = [];
        for (let piece = 0; piece < reused.pieces; piece++) {
          const sent = piece * reused.bytes - pendingBytes();
          let buffer = buffers.find(({ end }) => end <= sent);
          if (buffer === undefined) buffers.push(buffer = { bytes: Buffer.alloc(reused.bytes), end: 0 });
          buffer.end = (piece + 1) * reused.bytes;
          yield buffer.bytes.fill(piece);
        }
        reused.buffers = buffers.length;
      }));
      server.get('/v1/waits', open, (_request, reply) => {
        ended = new Promise<string>((resolve) => {
          void streamText(reply, 'text/csv', async function* (signal) {
            yield 'header\n';
            await new Promise<void>((wake) => signal.addEventListener('abort', () => wake()));
            resolve('woken');
          });
        });
        return reply;
      });
    }],
  });
});

afterAll(async () => {
  await at.server.close();
  await database.close();
});

function fail(): string {
  throw new Error('lost');
}

function holdBack(): void {
  hold = new Promise((resolve) => { proceed = resolve; });
}

it('gives every row, once and in order', async () => {
  const lines = (await (await fetch(`${at.url}/v1/rows`)).text()).split('\n');
  expect(lines.length).toBe(50_001);
  expect([lines[0], lines[49_999]]).toEqual(['0,ü', '49999,ü']);
});

it('a producer that overwrites only what is sent sends each piece as it was, to a client that reads at once and to one that does not read for a while', async () => {
  const expected = Buffer.concat(Array.from({ length: reused.pieces }, (_, piece) => Buffer.alloc(reused.bytes, piece)));
  const read = Buffer.from(await (await fetch(`${at.url}/v1/reused`)).arrayBuffer());
  expect(read.equals(expected)).toBe(true);
  expect(reused.buffers).toBeLessThan(6);
  const answer = await new Promise<IncomingMessage>((resolve) => get(`${at.url}/v1/reused`, resolve));
  const late: Buffer[] = [];
  for await (const piece of answer) {
    // The server produces until the buffers of the connection are full, which takes less than these turns.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    late.push(piece);
  }
  expect(Buffer.concat(late).equals(expected)).toBe(true);
  expect(reused.buffers).toBeGreaterThan(1);
  expect(reused.buffers).toBeLessThan(6);
});

it('gives valid JSON around a list, an empty one too', async () => {
  expect(await (await fetch(`${at.url}/v1/json`)).json()).toEqual({ model_id: 'm', items: [{ a: 1 }, { a: 2 }] });
  let text = '';
  for await (const piece of jsonWithList({}, 'items', [])) text += piece;
  expect(JSON.parse(text)).toEqual({ items: [] });
});

it('lets the event loop turn after each piece, so that other requests are answered meanwhile', async () => {
  expect((await (await fetch(`${at.url}/v1/bytes`)).text()).length).toBe(800);
  // The second piece may come in the turn in which the request began.
  expect(new Set(turns).size).toBeGreaterThanOrEqual(199);
});

it('sends the first piece while the second is not there yet', async () => {
  holdBack();
  const answer = await fetch(`${at.url}/v1/first`);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('header\n');
  proceed();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('row\n');
});

it.each(['1.1', '1.0'])('a stream that fails half-way is cut off under HTTP/%s, never ended properly', async (version) => {
  holdBack();
  const answer = new Promise<{ text: string; reset: boolean }>((resolve) => {
    let text = '';
    let reset = false;
    const socket = connect({ host: '127.0.0.1', port: at.port }, () => socket.write(`GET /v1/fails-late HTTP/${version}\r\nHost: x\r\n\r\n`));
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.includes('header\n')) proceed();
    });
    socket.on('error', () => { reset = true; });
    socket.on('close', () => resolve({ text, reset }));
  });
  const { text, reset } = await answer;
  expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(text).toContain('header\n');
  expect(text).not.toMatch(/\r\n0\r\n/);
  expect(reset).toBe(true);
});

it('a stream that fails before its first piece gives an ordinary error', async () => {
  const answer = await fetch(`${at.url}/v1/fails-at-once`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/problem+json; charset=utf-8']);
  expect(await answer.json()).toMatchObject({ code: 'internal' });
});

it('a client that does not read holds the producer back, and its leaving ends the producer', async () => {
  produced.pieces = 0;
  const socket = connect({ host: '127.0.0.1', port: at.port });
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET /v1/endless HTTP/1.1\r\nHost: x\r\n\r\n');
  let before = -1;
  while (produced.pieces === 0 || produced.pieces !== before) {
    before = produced.pieces;
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  // The kernel's socket buffers on both sides hold some megabytes.
  expect(produced.pieces).toBeLessThan(500);
  socket.destroy();
  expect(await ended).toBe('aborted');
});

it('the signal wakes a producer that waits when the client leaves', async () => {
  const socket = connect({ host: '127.0.0.1', port: at.port });
  socket.on('error', () => {});
  socket.write('GET /v1/waits HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => { socket.once('data', resolve); });
  socket.destroy();
  expect(await ended).toBe('woken');
});

it('an answer to HTTP/1.0 that succeeds ends properly', async () => {
  const { text, reset } = await sendRaw(at.port, 'GET /v1/json HTTP/1.0\r\nHost: x\r\n\r\n');
  expect(text).toContain('{"model_id":"m","items":[{"a":1},{"a":2}]}');
  expect(reset).toBe(false);
});
