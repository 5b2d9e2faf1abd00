import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import type { Connection } from '../database/database.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { RateLimit, windowMs } from './rateLimit.ts';
import { startTestServer, type TestServer } from '../testing/testServer.ts';

let database: TestDatabase;
let statements = 0;
const servers: TestServer[] = [];
let now = 1_700_000_000_000;
const clock = { now: () => now };
const limit = 100;

beforeAll(async () => {
  database = await openTestDatabase();
  const counted = { ...database, query: ((sql, values) => { statements++; return database.query(sql, values); }) as Connection['query'] };
  for (let index = 0; index < 2; index++) {
    servers.push(await startTestServer(counted, {
      system: { ...systemInterfaces, clock },
      rateLimitPerMinute: limit,
      routes: [(server) => {
        server.get('/v1/x', { config: { scope: 'data:read' } }, async () => 'x');
        server.get('/v1/page', { config: { scope: 'recommend:read', forPages: true } }, async () => 'x');
      }],
    }));
  }
});

afterAll(async () => {
  for (const { server } of servers) await server.close();
  await database.close();
});

async function send(count: number, key: string, path = '/v1/x'): Promise<Response[]> {
  return Promise.all(Array.from({ length: count }, (_, index) =>
    fetch(`${(servers[index % 2] as TestServer).url}${path}`, { headers: { apikey: key } })));
}

it('two processes together let exactly the limit pass in a window, with few statements', async () => {
  const answers = await send(150, 'together:data:read');
  const passed = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect([passed.length, refused.length]).toEqual([limit, 150 - limit]);
  expect(statements).toBeLessThanOrEqual(25);

  expect(await refused[0]?.json()).toMatchObject({ code: 'rate-limited' });
  const seconds = Math.ceil((windowMs - (now % windowMs)) / 1000);
  expect(refused[0]?.headers.get('retry-after')).toBe(String(seconds));
  expect(passed[0]?.headers.get('ratelimit-limit')).toBe('100');
  expect(passed[0]?.headers.get('ratelimit-reset')).toBe(String(seconds));
  const remaining = passed.map(({ headers }) => Number(headers.get('ratelimit-remaining')));
  expect(Math.max(...remaining)).toBeLessThan(limit);
  expect(Math.min(...remaining)).toBe(0);
});

it('an exhausted window costs no statement, other organizations are not touched, and the next minute is free', async () => {
  await send(limit, 'exhausted:data:read');
  // Each process gets one more request, so that both know that the window is exhausted.
  await send(2, 'exhausted:data:read');
  const before = statements;
  expect((await send(20, 'exhausted:data:read')).every(({ status }) => status === 429)).toBe(true);
  expect(statements).toBe(before);
  expect((await send(1, 'other:data:read'))[0]?.status).toBe(200);
  expect((await fetch(`${(servers[0] as TestServer).url}/healthz`)).status).toBe(200);
  now += windowMs;
  expect((await send(2, 'exhausted:data:read')).map(({ status }) => status)).toEqual([200, 200]);
});

it('a publishable key exhausts its own limit only, and its organization does not exhaust the limit of the key', async () => {
  const statuses = async (count: number, key: string): Promise<number[]> => (await send(count, key, '/v1/page')).map(({ status }) => status);
  const passed = (found: number[]): number => found.filter((status) => status === 200).length;
  expect(passed(await statuses(limit + 10, 'shop:recommend:publish'))).toBe(limit);
  const refused = (await send(1, 'shop:recommend:publish', '/v1/page'))[0] as Response;
  expect([refused.status, await refused.json()]).toMatchObject([429, { detail: expect.stringContaining('The publishable key can send 100 requests per minute.') }]);
  // Another publishable key of the same organization (this test server uses the text of a key as its id).
  expect(await statuses(1, 'shop:recommend:publish,video:read')).toEqual([200]);
  expect(passed(await statuses(limit + 10, 'shop:recommend:read'))).toBe(limit);
  expect(await statuses(1, 'shop:recommend:publish,video:read')).toEqual([200]);
  // A key that has the scope of the route itself is a key of a server, also if it has the scope of web pages.
  expect(await statuses(1, 'shop:recommend:publish,recommend:read')).toEqual([429]);
});

it('a process whose clock is behind does not open the old window again', async () => {
  const log = createLogger('silent');
  const ahead = new RateLimit(database, { now: () => now + windowMs }, log, 10);
  const behind = new RateLimit(database, clock, log, 10);
  const taken = [];
  for (let index = 0; index < 10; index++) {
    taken.push(await ahead.take('skewed'), await behind.take('skewed'));
  }
  expect(taken.filter((allowance) => allowance?.allowed).length).toBe(10);
});

it('keeps a bounded number of organizations within a minute, and the limit of a forgotten one still holds', async () => {
  const bounded = new RateLimit(database, clock, createLogger('silent'), 3, 5);
  const passed = async (): Promise<number> => {
    const taken = await Promise.all(Array.from({ length: 4 }, async () => bounded.take('forgotten')));
    return taken.filter((allowance) => allowance?.allowed).length;
  };
  expect(await passed()).toBe(3);
  for (let index = 0; index < 20; index++) {
    expect((await bounded.take(`one of many ${index}`))?.allowed).toBe(true);
    expect(bounded.senders).toBeLessThanOrEqual(5);
  }
  expect(await passed()).toBe(0);
});

it('forgets organizations without requests before those with requests, and windows that are over before both', async () => {
  let statementsOf = 0;
  const counted = { ...database, query: ((sql, values) => { statementsOf++; return database.query(sql, values); }) as Connection['query'] };
  let at = now;
  const bounded = new RateLimit(counted, { now: () => at }, createLogger('silent'), 100, 3);
  for (const name of ['first', 'second', 'third', 'first', 'fourth']) await bounded.take(`kept ${name}`);
  const before = statementsOf;
  await bounded.take('kept first');
  expect([statementsOf - before, bounded.senders]).toEqual([0, 3]);
  at += windowMs;
  await bounded.take('kept fifth');
  expect(bounded.senders).toBe(1);
});

it('without the database each process counts alone', async () => {
  const broken = { ...database, query: () => Promise.reject(new Error('gone')) } as unknown as TestDatabase;
  const alone = new RateLimit(broken, clock, createLogger('silent'), 3);
  const taken = await Promise.all([1, 2, 3, 4].map(() => alone.take('o')));
  expect(taken.map((allowance) => allowance?.allowed)).toEqual([true, true, true, false]);
});

it('a limit of 0 limits nothing', async () => {
  expect(await new RateLimit(database, clock, createLogger('silent'), 0).take('o')).toBeNull();
});
