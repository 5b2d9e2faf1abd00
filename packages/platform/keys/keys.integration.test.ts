import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '../database/connect.ts';
import type { Database } from '../database/database.ts';
import type { TestDatabase } from '../testing/testDatabase.ts';
import { sharedTestDatabase } from '../testing/sharedTestDatabase.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces, type SystemInterfaces } from '../process/systemInterfaces.ts';
import { createKeyStore, type KeyStore } from './keyStore.ts';

const log = createLogger('silent');
const openDatabase = sharedTestDatabase();
let database: TestDatabase;
let keys: KeyStore;
let now: number;
const system: SystemInterfaces = { ...systemInterfaces, clock: { now: () => now }, elapsedMs: () => now };

beforeEach(async () => {
  now = Date.UTC(2030, 0, 1);
  database = await openDatabase();
  keys = await createKeyStore({ database, system, log });
});

afterEach(async () => {
  await keys.close();
  await database.close();
});

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await systemInterfaces.timers.sleep(10);
}

async function otherProcess(): Promise<{ database: Database; keys: KeyStore }> {
  const other = await connectDatabase({ connection: database.connectionString, log, maxConnections: 2 });
  return { database: other, keys: await createKeyStore({ database: other, system, log }) };
}

test('the first start makes one admin key, even when two servers start at once; later starts make none', async () => {
  const other = await otherProcess();
  const made = await Promise.all([keys.ensureFirstKey({}), other.keys.ensureFirstKey({})]);
  const shown = made.map(({ key }) => key).filter((key) => key !== null);
  expect(shown).toHaveLength(1);
  expect(await keys.authenticate(shown[0] as string)).toMatchObject({ organizationId: 'default', scopes: ['admin'] });
  expect(await keys.ensureFirstKey({})).toEqual({ organizationId: 'default', key: null });
  expect(await keys.list()).toHaveLength(1);
  await other.keys.close();
  await other.database.close();
});

test('the first key is kept before it takes effect, and where it cannot be kept none is made', async () => {
  const full = new Error('the disk is full');
  await expect(keys.ensureFirstKey({ keep: () => Promise.reject(full) })).rejects.toThrow(full);
  expect(await keys.list()).toEqual([]);
  const kept: string[] = [];
  const { key } = await keys.ensureFirstKey({
    async keep(made) {
      kept.push(made);
      // The change is not yet committed, so another connection does not see it.
      expect(await keys.list()).toEqual([]);
    },
  });
  expect(kept).toEqual([key]);
  await keys.ensureFirstKey({ keep: () => Promise.reject(full) });
});

test('the key itself is stored nowhere and in no list', async () => {
  const { key } = await keys.ensureFirstKey({});
  const { rows } = await database.query<{ text: string }>('SELECT keys::text AS text FROM keys');
  const stored = JSON.stringify(rows) + JSON.stringify(await keys.list());
  expect(stored).toContain((key as string).slice(0, 10));
  expect(stored).not.toContain((key as string).slice(0, 11));
});

test('VOUCH_ADMIN_KEY of any form is an admin key; changing it revokes the former one, going back revives it', async () => {
  const [first, second] = ['correct horse battery staple', 'x'.repeat(24)];
  expect(await keys.ensureFirstKey({ adminKey: first })).toEqual({ organizationId: 'default', key: null });
  await keys.ensureFirstKey({ adminKey: first });
  expect(await keys.list()).toHaveLength(1);
  expect(await keys.authenticate(first)).toMatchObject({ scopes: ['admin'] });
  await keys.ensureFirstKey({ adminKey: second });
  expect(await keys.authenticate(first)).toBeNull();
  expect(await keys.authenticate(second)).toMatchObject({ scopes: ['admin'] });
  await keys.ensureFirstKey({ adminKey: first });
  expect(await keys.authenticate(first)).toMatchObject({ scopes: ['admin'] });
  await expect(keys.ensureFirstKey({ adminKey: 'too short' })).rejects.toThrow('9 characters');
});

test('a made key authenticates with its organization and scopes; unknown, malformed and endless texts do not', async () => {
  const organizationId = await keys.ensureOrganization('acme');
  expect(await keys.ensureOrganization('acme')).toBe(organizationId);
  const { key, record } = await keys.create({ organizationId, name: 'reader', scopes: ['data:read', 'model:read'] });
  expect(await keys.authenticate(key)).toEqual({ keyId: record.id, organizationId, scopes: ['data:read', 'model:read'] });
  const other = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
  for (const text of ['', other, 'x', 'x'.repeat(1_000_000), `${key} `]) expect(await keys.authenticate(text)).toBeNull();
});

test('a key needs known scopes and an organization that exists', async () => {
  const organizationId = await keys.ensureOrganization('acme');
  for (const scopes of [[], ['data:red'], ['toString']]) {
    await expect(keys.create({ organizationId, name: 'k', scopes })).rejects.toMatchObject({ code: 'invalid-parameter' });
  }
  await expect(keys.create({ organizationId: 'x', name: 'k', scopes: ['admin'] })).rejects.toMatchObject({ code: 'not-found' });
  expect(await keys.list(organizationId)).toEqual([]);
});

test('a revoked key is refused at once here and in other processes, although they remember it', async () => {
  const other = await otherProcess();
  const { key } = await keys.ensureFirstKey({});
  expect(await other.keys.authenticate(key as string)).not.toBeNull();
  const id = (await keys.list())[0]?.id as string;
  expect((await keys.revoke(id))?.status).toBe('revoked');
  expect(await keys.authenticate(key as string)).toBeNull();
  // The test's clock does not advance, so only the notification can clear the other cache.
  await until(async () => (await other.keys.authenticate(key as string)) === null);
  expect(await keys.revoke('no-uuid')).toBeNull();
  await other.keys.close();
  await other.database.close();
});

test('an expired key is refused', async () => {
  const organizationId = await keys.ensureOrganization('acme');
  const { key } = await keys.create({ organizationId, name: 'k', scopes: ['admin'], expiresAt: new Date(Date.now() + 3_600_000) });
  expect(await keys.authenticate(key)).not.toBeNull();
  await database.query(`UPDATE keys SET expires_at = now() - interval '1 second'`);
  now += 5_000;
  expect(await keys.authenticate(key)).toBeNull();
  expect((await keys.list())[0]?.status).toBe('expired');
});

test('who holds a key that ended learns how; a text that never was a key is unknown', async () => {
  const organizationId = await keys.ensureOrganization('acme');
  const [valid, replaced, revoked] = await Promise.all(['valid', 'replaced', 'revoked'].map((name) => keys.create({ organizationId, name, scopes: ['admin'] })));
  await keys.rotate(replaced!.record.id, 0);
  await keys.revoke(revoked!.record.id);
  expect(await keys.findEnded(replaced!.key)).toMatchObject({ id: replaced!.record.id, name: 'replaced', how: 'expired', isReplaced: true, endedAt: expect.any(Date) as Date });
  expect(await keys.findEnded(revoked!.key)).toMatchObject({ name: 'revoked', how: 'revoked', isReplaced: false });
  for (const text of [valid!.key, `${revoked!.key} `, 'x', '']) expect(await keys.findEnded(text)).toBeNull();
});

test('after a rotation both keys are valid for the overlap, then the new one alone', async () => {
  const organizationId = await keys.ensureOrganization('acme');
  const old = await keys.create({ organizationId, name: 'k', scopes: ['video:read'] });
  const made = await keys.rotate(old.record.id, 3_600_000);
  expect(made.record).toMatchObject({ organizationId, name: 'k', scopes: ['video:read'], expiresAt: null });
  expect(await keys.authenticate(old.key)).not.toBeNull();
  expect(await keys.authenticate(made.key)).not.toBeNull();
  now += 3_600_000;
  await database.query(`UPDATE keys SET expires_at = now() WHERE id = $1`, [old.record.id]);
  expect(await keys.authenticate(old.key)).toBeNull();
  expect(await keys.authenticate(made.key)).not.toBeNull();
  await expect(keys.rotate(old.record.id, 0)).rejects.toMatchObject({ code: 'not-found' });
});

test('a key, or a session of it, that ends while the database answers is refused', async () => {
  const organizationId = await keys.ensureOrganization('acme');
  const old = await keys.create({ organizationId, name: 'k', scopes: ['video:read'] });
  const { secret } = await keys.beginSession(old.record.id);
  await keys.rotate(old.record.id, 60_000);
  let takesMs = 0;
  const slow = { ...database, async query(...given: Parameters<Database['query']>) {
    const answer = await database.query(...given);
    now += takesMs;
    return answer;
  } } as Database;
  const asking = await createKeyStore({ database: slow, system, log });
  takesMs = 61_000;
  expect(await asking.authenticate(old.key)).toBeNull();
  expect(await asking.authenticateSession(secret)).toBeNull();
  takesMs = 1_000;
  now += 5_000;
  expect(await asking.authenticate(old.key)).not.toBeNull();
  expect(await asking.authenticateSession(secret)).not.toBeNull();
  await asking.close();
});

test('the last use is written once a minute at most', async () => {
  const { key } = await keys.ensureFirstKey({});
  const lastUse = async (): Promise<Date | null> => (await keys.list())[0]?.lastUsedAt ?? null;
  expect(await lastUse()).toBeNull();
  await keys.authenticate(key as string);
  await until(async () => (await lastUse()) !== null);
  await database.query(`UPDATE keys SET last_used_at = now() - interval '1 hour'`);
  const before = await lastUse();
  now += 59_000;
  await keys.authenticate(key as string);
  await keys.close();
  expect(await lastUse()).toEqual(before);
  now += 1_000;
  await keys.authenticate(key as string);
  await until(async () => (await lastUse())?.getTime() !== before?.getTime());
});
