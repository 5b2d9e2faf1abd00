import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyStore, type KeyStore } from '../keys/keyStore.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { startTestServer, type TestServer } from '../testing/testServer.ts';

const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
let database: TestDatabase;
let keys: KeyStore;
let at: TestServer;
let key: string;

beforeAll(async () => {
  database = await openTestDatabase();
  keys = await createKeyStore({ database, system: systemInterfaces, log: createLogger('silent') });
  key = (await keys.ensureFirstKey({})).key as string;
  at = await startTestServer(database, {
    authenticate: (given) => keys.authenticate(given),
    findEnded: (given) => keys.findEnded(given),
    sessions: {
      authenticate: (secret) => keys.authenticateSession(secret),
      begin: (keyId) => keys.beginSession(keyId),
      end: (secret) => keys.endSession(secret),
      useLink: (secret) => keys.useSignInLink(secret),
      describe: async ({ organizationId }) => ({ organization: organizationId, key: 'a key' }),
    },
    routes: [(server) => {
      server.get('/data', { config: { scope: 'data:read' } }, async (request) => request.identity.scopes);
      server.post('/data', { config: { scope: 'data:write' } }, async () => 'changed');
    }],
  });
});

afterAll(async () => {
  await at.server.close();
  await keys.close();
  await database.close();
});

async function signIn(body: object, headers: Record<string, string> = own): Promise<{ status: number; code?: string; cookie: string; full: string }> {
  const answer = await fetch(`${at.url}/console/session`, { method: 'POST', headers, body: JSON.stringify(body) });
  const full = answer.headers.get('set-cookie') ?? '';
  return { status: answer.status, code: (await answer.json() as { code?: string }).code, cookie: full.split(';', 1)[0] ?? '', full };
}

async function ask(cookie: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }, method = 'GET'): Promise<[number, string | undefined]> {
  const answer = await fetch(`${at.url}/data`, { method, headers: { cookie, ...headers } });
  const text = await answer.text();
  return [answer.status, answer.ok ? undefined : (JSON.parse(text) as { code: string }).code];
}

test('a key begins a session with its rights, in a cookie that scripts and other sites cannot use', async () => {
  const { status, cookie, full } = await signIn({ key });
  expect([status, full.includes(key)]).toEqual([200, false]);
  expect(full).toMatch(/^vouch_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  expect(await ask(cookie)).toEqual([200, undefined]);
  const { rows } = await database.query<{ text: string }>('SELECT sessions::text AS text FROM sessions');
  expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1]);
  const narrow = await keys.create({ organizationId: 'default', name: 'narrow', scopes: ['data:read'] });
  const session = await signIn({ key: narrow.key });
  expect(await ask(session.cookie)).toEqual([200, undefined]);
  expect(await ask(session.cookie, undefined, 'POST')).toEqual([403, 'missing-scope']);
});

test('a request that another page may have caused is refused, also the sign-in', async () => {
  const { cookie } = await signIn({ key });
  for (const site of ['cross-site', 'same-site', 'none']) expect(await ask(cookie, { 'sec-fetch-site': site }, 'POST')).toEqual([403, 'foreign-page']);
  expect(await ask(cookie, {}, 'POST')).toEqual([403, 'foreign-page']);
  expect(await ask(cookie, { 'sec-fetch-site': 'cross-site', 'x-vouch-console': '1' })).toEqual([403, 'foreign-page']);
  // Browsers send no Sec-Fetch-Site to plain HTTP on other hosts than localhost.
  expect(await ask(cookie, { 'x-vouch-console': '1' }, 'POST')).toEqual([200, undefined]);
  expect((await signIn({ key }, { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' })).code).toBe('foreign-page');
});

test('a link signs in once, within ten minutes, while its key exists', async () => {
  const link = await keys.makeSignInLink() as string;
  const [first, second] = await Promise.all([signIn({ link }), signIn({ link })]);
  expect([first, second].map(({ status }) => status).toSorted()).toEqual([200, 401]);
  expect(await ask((first.status === 200 ? first : second).cookie)).toEqual([200, undefined]);
  const late = await keys.makeSignInLink() as string;
  await database.query(`UPDATE sessions SET expires_at = expires_at - interval '10 minutes' WHERE kind = 'link'`);
  expect((await signIn({ link: late })).code).toBe('sign-in-link-ended');
  // The secret of a link is no session.
  expect(await ask(`vouch_session=${await keys.makeSignInLink()}`)).toEqual([401, 'session-ended']);
});

test('wrong keys get no session', async () => {
  expect((await signIn({ key: 'vch_wrong' })).code).toBe('unknown-key');
  expect((await signIn({})).code).toBe('unknown-key');
  expect(await ask('vouch_session=unknownunknownunknownunknown')).toEqual([401, 'session-ended']);
  expect(await ask('')).toEqual([401, 'missing-key']);
});

test('a key that ended is refused with its name, its end and what to do, at the sign-in and in the header', async () => {
  const detail = async (answer: Promise<Response>): Promise<{ status: number; code: string; detail: string }> => (await answer).json() as Promise<{ status: number; code: string; detail: string }>;
  const sent = (of: string): Promise<Response> => fetch(`${at.url}/data`, { headers: { apikey: of } });
  const made = await keys.create({ organizationId: 'default', name: 'night job', scopes: ['data:read'] });
  await keys.revoke(made.record.id);
  const sentence = /^The API key "night job" was revoked at 20\d\d-\S+Z\. Create a key with `vouch keys create`/;
  expect(await detail(sent(made.key))).toMatchObject({ status: 401, code: 'revoked-key', detail: expect.stringMatching(sentence) as string });
  expect((await signIn({ key: made.key })).code).toBe('revoked-key');
  const old = await keys.create({ organizationId: 'default', name: '', scopes: ['data:read'] });
  await keys.rotate(old.record.id, 0);
  expect(await detail(sent(old.key))).toMatchObject({ code: 'expired-key', detail: expect.stringMatching(new RegExp(`^The API key ${old.record.id} expired at .*\\. Use the key that replaced it`)) as string });
  // A text with one other letter says nothing about the key.
  expect(await detail(sent(`${made.key.slice(0, -1)}_`))).toMatchObject({ code: 'unknown-key', detail: expect.not.stringContaining('night job') as string });
});

test('a session ends at once with its key and with the sign-out, on every server', async () => {
  const made = await keys.create({ organizationId: 'default', name: 'short', scopes: ['data:read'] });
  const { cookie } = await signIn({ key: made.key });
  expect(await ask(cookie)).toEqual([200, undefined]);
  const other = await createKeyStore({ database, system: systemInterfaces, log: createLogger('silent') });
  expect(await other.authenticateSession(cookie.split('=')[1] as string)).toMatchObject({ keyId: made.record.id });
  await keys.revoke(made.record.id);
  expect(await ask(cookie)).toEqual([401, 'session-ended']);
  await expect.poll(() => other.authenticateSession(cookie.split('=')[1] as string)).toBeNull();
  await other.close();
  const second = await signIn({ key });
  const end = await fetch(`${at.url}/console/session`, { method: 'DELETE', headers: { cookie: second.cookie, 'sec-fetch-site': 'same-origin' } });
  expect([end.status, end.headers.get('set-cookie')]).toEqual([204, 'vouch_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0']);
  expect(await ask(second.cookie)).toEqual([401, 'session-ended']);
});
