import { Agent, get } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { TestDatabase } from '../testing/testDatabase.ts';
import { sharedTestDatabase } from '../testing/sharedTestDatabase.ts';
import { startTestServer, type TestServer } from '../testing/testServer.ts';

const openDatabase = sharedTestDatabase();
let database: TestDatabase;
let at: TestServer;
let release: () => void;
let entered: Promise<void>;
let start: (maxInFlight: number, drainTimeoutMs?: number, maxEventLoopDelayMs?: number) => Promise<void>;

beforeEach(async () => {
  let enter = (): void => {};
  entered = new Promise((resolve) => { enter = resolve; });
  const held = new Promise<void>((resolve) => { release = resolve; });
  const hold = async (): Promise<object> => {
    enter();
    await held;
    return { done: true };
  };
  database = await openDatabase();
  start = async (maxInFlight, drainTimeoutMs = 60_000, maxEventLoopDelayMs = 0) => {
    at = await startTestServer(database, {
      limits: { maxInFlight, drainTimeoutMs, maxEventLoopDelayMs },
      routes: [(server) => {
        server.get('/v1/held', { config: { scope: 'data:read' } }, hold);
        server.get('/v1/open', { config: { scope: null } }, hold);
        server.get('/v1/busy', { config: { scope: 'data:read' } }, async () => ({ done: true }));
      }],
    });
  };
  await start(1);
});

afterEach(async () => {
  release();
  await at.server.close();
  await database.close();
});

function call(path: string, organization = 'o'): Promise<Response> {
  return fetch(at.url + path, { headers: { apikey: `${organization}:data:read` } });
}

it('over the bound of requests in work, others are told to come back, and probes still answer, readiness with what is wrong', async () => {
  const open = call('/v1/held');
  await entered;
  const refused = await call('/v1/busy');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({ code: 'overloaded' });
  for (const path of ['/healthz', '/metrics']) expect((await call(path)).status).toBe(200);
  const ready = await call('/readyz');
  expect([ready.status, (await ready.json() as { status: string }).status]).toEqual([503, 'overloaded']);
  release();
  expect((await open).status).toBe(200);
  expect((await call('/readyz')).status).toBe(200);
  expect((await call('/v1/busy')).status).toBe(200);
});

exhaustiveTest('where the event loop is late, a few requests a second are answered, and many are told to come back', async () => {
  await at.server.close();
  await start(1_000, 60_000, 50);
  /** Blocks the event loop, as a busy machine does. The delay is measured once per second. */
  const delayLoop = async (): Promise<void> => {
    const end = Date.now() + 1_100;
    while (Date.now() < end);
    await new Promise(setImmediate);
  };
  for (let time = 0; time < 3; time++) {
    await delayLoop();
    expect((await call('/v1/busy')).status).toBe(200);
  }
  await expect.poll(async () => {
    await delayLoop();
    return (await Promise.all(Array.from({ length: 60 }, () => call('/v1/busy')))).some(({ status }) => status === 503);
  }).toBe(true);
});

it('requests without a key take half of the places at most', async () => {
  await at.server.close();
  await start(3);
  const open = [call('/v1/open'), call('/v1/open')];
  await expect.poll(async () => (await fetch(`${at.url}/metrics`)).text()).toContain('vouch_http_requests_in_flight 2');
  const refused = await call('/v1/open');
  expect([refused.status, (await refused.json() as { detail: string }).detail]).toEqual([503, expect.stringContaining('2 requests without a key')]);
  expect((await call('/v1/busy')).status).toBe(200);
  release();
  for (const answer of open) expect((await answer).status).toBe(200);
});

it('an organization uses as many places as it leaves free, so that others are answered and the server stays ready', async () => {
  await at.server.close();
  await start(5);
  const open = [call('/v1/held'), call('/v1/held'), call('/v1/held')];
  await expect.poll(async () => (await fetch(`${at.url}/metrics`)).text()).toContain('vouch_http_requests_in_flight 3');
  const refused = await call('/v1/busy');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({ code: 'too-many-in-progress', detail: expect.stringContaining('3 requests of the organization') as string });
  expect((await call('/v1/busy', 'other')).status).toBe(200);
  expect((await call('/readyz')).status).toBe(200);
  release();
  for (const answer of open) expect((await answer).status).toBe(200);
  expect((await call('/v1/busy')).status).toBe(200);
});

it('organizations take turns, however many requests another has sent before', async () => {
  const begun: string[] = [];
  await at.server.close();
  at = await startTestServer(database, {
    routes: [(server) => {
      server.get('/v1/turn', { config: { scope: 'data:read' } }, async ({ identity }) => {
        begun.push(identity.organizationId);
        // Longer than the slice of time after which the next sender has its turn.
        const end = performance.now() + 2;
        while (performance.now() < end);
        return {};
      });
    }],
  });
  const send = (organization: string) => at.server.inject({ url: '/v1/turn', headers: { apikey: `${organization}:data:read` } });
  const answers = await Promise.all([...Array.from({ length: 20 }, () => send('busy')), send('quiet')]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
  expect(begun.indexOf('quiet')).toBeLessThan(4);
});

it('an organization whose requests wait in the database leaves a connection to others', async () => {
  await at.server.close();
  at = await startTestServer(database, {
    routes: [(server) => {
      server.get('/v1/waits', { config: { scope: 'data:read' } }, async () => (await database.query('SELECT pg_advisory_xact_lock(1)')).rowCount);
      server.get('/v1/reads', { config: { scope: 'data:read' } }, async () => (await database.query('SELECT 1')).rowCount);
    }],
  });
  const session = await database.openSession({ name: 'holder' });
  await session.query('SELECT pg_advisory_lock(1)');
  const waiting = Array.from({ length: 30 }, () => call('/v1/waits'));
  await expect.poll(() => database.connectionsInUse()).toBeGreaterThan(8);
  expect((await call('/v1/reads', 'other')).status).toBe(200);
  session.close();
  for (const answer of waiting) expect((await answer).status).toBe(200);
});

it('the drain answers one more request of each open connection, refuses new connections, and waits for requests in work', async () => {
  await at.server.close();
  await start(4);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const status = (): Promise<{ status: number; connection: string; retry: string }> => new Promise((resolve, reject) => {
    get(`${at.url}/v1/busy`, { agent, headers: { apikey: 'o:data:read' } }, (answer) => {
      answer.resume().on('end', () => resolve({
        status: answer.statusCode ?? 0, connection: answer.headers.connection ?? '', retry: answer.headers['retry-after'] ?? '',
      }));
    }).on('error', reject);
  });
  expect((await status()).status).toBe(200);
  const open = call('/v1/held');
  await entered;
  let drained = false;
  const drain = at.server.drain().then(() => { drained = true; });
  expect(await status()).toEqual({ status: 200, connection: 'close', retry: '' });
  expect(await status()).toEqual({ status: 503, connection: 'close', retry: '5' });
  const refused = await call('/v1/busy');
  expect(await refused.json()).toMatchObject({ code: 'draining' });
  const ready = await call('/readyz');
  expect([ready.status, (await ready.json() as { status: string }).status]).toEqual([503, 'draining']);
  expect((await call('/healthz')).status).toBe(200);
  expect(drained).toBe(false);
  release();
  expect(await (await open).json()).toEqual({ done: true });
  await drain;
  agent.destroy();
});

it('the drain leaves a client with an idle connection time for a request, which is answered', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (): Promise<string | undefined> => new Promise((resolve, reject) => {
    get(`${at.url}/v1/busy`, { agent, headers: { apikey: 'o:data:read' } }, (answer) => answer.resume().on('end', () => resolve(answer.headers.connection))).on('error', reject);
  });
  expect(await ask()).toBe('keep-alive');
  const stopping = at.server.drain().then(() => at.server.close());
  await new Promise(setImmediate);
  expect(await ask()).toBe('close');
  await stopping;
  agent.destroy();
});

it('the drain ends at its bound even where a request never does, and closing ends that request', async () => {
  await at.server.close();
  await start(1, 300);
  const open = call('/v1/held').catch((error: unknown) => error);
  await entered;
  await at.server.drain();
  await at.server.close();
  expect(await open).toBeInstanceOf(Error);
});
