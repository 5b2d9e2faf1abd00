import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { startTestServer, type TestServer } from '../testing/testServer.ts';

let database: TestDatabase;
let at: TestServer | null = null;
beforeAll(async () => { database = await openTestDatabase(); });
afterEach(async () => { await at?.server.close(); at = null; });
afterAll(() => database.close());

async function start(corsOrigins: readonly string[]): Promise<string> {
  at = await startTestServer(database, {
    corsOrigins,
    routes: [(server) => {
      server.get('/v1/lists', { config: { scope: 'recommend:read', forPages: true } }, async () => []);
      server.post('/v1/lists', { config: { scope: 'recommend:read', forPages: true } }, async () => []);
      server.get('/v1/secrets', { config: { scope: 'recommend:read' } }, async () => []);
    }],
  });
  return at.url;
}

const cors = (answer: Response): string[] => [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));

it('answers preflight requests only for the given origins, and the methods of the path', async () => {
  const url = await start(['https://shop.example', 'http://localhost:3000']);
  const preflight = (origin: string): Promise<Response> => fetch(`${url}/v1/lists`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
  const allowed = await preflight('https://shop.example');
  expect([allowed.status, await allowed.text(), Object.fromEntries(allowed.headers)]).toMatchObject([204, '', {
    'access-control-allow-origin': 'https://shop.example', 'access-control-allow-methods': 'GET, POST', 'access-control-max-age': '7200',
    'access-control-allow-headers': 'apikey, content-type, idempotency-key, if-none-match', vary: 'origin', allow: 'GET, POST, OPTIONS',
  }]);
  expect(allowed.headers.has('access-control-allow-credentials')).toBe(false);
  for (const origin of ['https://shop.example.evil.example', 'http://shop.example', 'https://shop.example:8443', 'null', 'https://SHOP.example']) {
    const refused = await preflight(origin);
    expect([refused.status, cors(refused), refused.headers.get('vary')], origin).toEqual([204, [], 'origin']);
  }
});

it('lets pages read answers and errors of these routes, and nothing else', async () => {
  const url = await start(['https://shop.example']);
  const get = (path: string, key: string): Promise<Response> => fetch(url + path, { headers: { origin: 'https://shop.example', apikey: key } });
  for (const [key, status] of [['o:recommend:read', 200], ['o:recommend:publish', 200], ['o:data:read', 403], ['wrong', 401]] as const) {
    const answer = await get('/v1/lists', key);
    expect([answer.status, answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')], key).toEqual([status, 'https://shop.example', 'origin']);
    expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toEqual(expect.arrayContaining(['etag', 'retry-after', 'x-request-id']));
  }
  const other = await get('/v1/secrets', 'o:recommend:read,recommend:publish');
  expect([other.status, cors(other), other.headers.get('vary')]).toEqual([200, [], null]);
  expect((await get('/v1/secrets', 'o:recommend:publish')).status).toBe(403);
  const preflight = await fetch(`${url}/v1/secrets`, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } });
  expect([preflight.status, cors(preflight)]).toEqual([405, []]);
  const withoutOrigin = await fetch(`${url}/v1/lists`, { headers: { apikey: 'o:recommend:read' } });
  expect([withoutOrigin.status, cors(withoutOrigin), withoutOrigin.headers.get('vary')]).toEqual([200, [], 'origin']);
});

it('sends no such header without origins', async () => {
  const url = await start([]);
  const preflight = await fetch(`${url}/v1/lists`, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } });
  expect([preflight.status, preflight.headers.get('allow'), cors(preflight)]).toEqual([405, 'GET, POST', []]);
});

it.each([
  ['https://shop.example:443', 'Browsers send https://shop.example;'],
  ['https://Shop.example', 'Browsers send https://shop.example;'],
  ['https://shop.example/', 'Browsers send https://shop.example;'],
  ['https://bücher.example', 'Browsers send https://xn--bcher-kva.example;'],
  ['*', 'Write scheme and host'],
  ['shop.example', 'Write scheme and host'],
])('refuses %s, which no browser sends', async (entry, hint) => {
  await expect(start([entry])).rejects.toThrow(hint);
});

it('accepts the origin of an app', async () => {
  const url = await start(['capacitor://localhost']);
  const answer = await fetch(`${url}/v1/lists`, { headers: { origin: 'capacitor://localhost', apikey: 'o:recommend:read' } });
  expect(answer.headers.get('access-control-allow-origin')).toBe('capacitor://localhost');
});
