import { timingSafeEqual } from 'node:crypto';
import type { Connection, Database } from '../database/database.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { hashApiKey, isWellFormed, nameOfKey } from './apiKey.ts';
import { ensureFirstKey, type FirstKey, type FirstKeyOptions } from './firstKey.ts';
import { createKeyCache } from './keyCache.ts';
import { findEndedKey, findRecord, insertKey, listRecords, revokeKey, rotateKey, type EndedKey, type KeyRecord, type MadeKey, type NewKey } from './keyRecords.ts';
import type { Identity } from './identity.ts';
import { createLastUsed } from './lastUsed.ts';
import type { Scope } from './scopes.ts';
import { deleteSession, exchangeLink, findSession, insertSession, insertSignInLink, type MadeSession } from './sessions.ts';

/** The API keys of all organizations. */
export interface KeyStore {
  /**
   * Returns the holder of a key; null if the key is unknown, revoked or expired. Answers are cached for 5 s, and cached answers are returned
   * synchronously.
   */
  authenticate(key: string): Identity | null | Promise<Identity | null>;
  /** Finds the end of a key that `authenticate` refused; null for a key that never was valid. */
  findEnded(key: string): Promise<EndedKey | null>;
  /** @throws Problem `invalid-parameter`, or `not-found` for an unknown organization */
  create(request: NewKey): Promise<MadeKey>;
  /** Returns all keys, or those of one organization, the newest first. */
  list(organizationId?: string): Promise<KeyRecord[]>;
  /** Finds a key of an organization by its id. */
  find(organizationId: string, id: string): Promise<KeyRecord | null>;
  /** Revokes a key at once, in all processes. Null if there is no such key. Revoking a key again has no effect. */
  revoke(id: string): Promise<KeyRecord | null>;
  /**
   * Creates a replacement with the same name, scopes and expiry. The old key stays valid for `overlapMs` ms.
   * @throws Problem `not-found` if no valid key has this id, `invalid-parameter` for a key from the environment
   */
  rotate(id: string, overlapMs: number): Promise<MadeKey>;
  /** Returns the id of the organization with this name, and creates the organization if missing. */
  ensureOrganization(name: string): Promise<string>;
  /** Returns the id of the organization with this name, or null. */
  findOrganization(name: string): Promise<string | null>;
  /** Creates the organization `default` and an admin key at the first start; see firstKey.ts. */
  ensureFirstKey(options: FirstKeyOptions): Promise<FirstKey>;
  /** Returns the holder of a session, cached as for keys; null if the session is unknown or has ended, or its key has ended. */
  authenticateSession(secret: string): Identity | null | Promise<Identity | null>;
  /** Begins a session with the rights of a key. */
  beginSession(keyId: string): Promise<MadeSession>;
  endSession(secret: string): Promise<void>;
  /** Creates the secret of a sign-in link, which works once, for ten minutes. Null if the operator has no valid admin key. */
  makeSignInLink(): Promise<string | null>;
  /** Exchanges the secret of a sign-in link for a session. Null if the link is unknown, used or expired. */
  useSignInLink(secret: string): Promise<MadeSession | null>;
  close(): Promise<void>;
}

/** Channel that tells all processes to clear their caches of keys. */
const keysChannel = 'vouch_keys';
const rememberMs = 5_000;
/** Upper bound for cached keys, about 3 MB. */
const maxRemembered = 10_000;
/** Longer texts cannot be keys and are not even hashed. */
const maxKeyLength = 512;
/**
 * Opens the key store. PostgreSQL notifies it of changes that other processes make.
 * @example
 * const keys = await createKeyStore({ database, system: systemInterfaces, log });
 * const { key } = await keys.create({ organizationId: 'default', name: 'reader', scopes: ['data:read'] });
 * const identity = await keys.authenticate(key);
 */
export async function createKeyStore(
  options: { database: Database; system: SystemInterfaces; log: Logger },
): Promise<KeyStore> {
  const { database, system, log } = options;
  const cache = createKeyCache<Identity>(system, rememberMs, maxRemembered);
  const environmentCache = createKeyCache<readonly Buffer[]>(system, rememberMs, 1);
  const lastUsed = createLastUsed(database, system, log);
  const forget = (): void => {
    cache.clear();
    environmentCache.clear();
  };
  const silence = await database.listen(keysChannel, forget);

  /** Filters out invalid texts without a statement per text: only keys from the environment can have any form, so only they are read. */
  async function mayBeKnown(key: string, hash: Buffer): Promise<boolean> {
    if (isWellFormed(key)) return true;
    const known = await environmentCache.get('', async () => {
      const { rows } = await database.query<{ hash: Buffer }>(
        `SELECT hash FROM keys WHERE source = 'environment' AND revoked_at IS NULL LIMIT 100`);
      return { identity: rows.map((row) => row.hash), expiresAt: null };
    });
    return known?.some((each) => timingSafeEqual(each, hash)) ?? false;
  }

  async function lookUp(hash: Buffer): Promise<{ identity: Identity | null; expiresAt: number | null }> {
    // The time before the question: the answer of a slow database must not prolong the key.
    const askedAt = system.clock.now();
    const { rows } = await database.query<{
      id: string; organization_id: string; hash: Buffer; scopes: Scope[]; expires_at: Date | null; left_ms: number | null;
    }>(
      `SELECT id, organization_id, hash, scopes, expires_at, extract(epoch FROM expires_at - now())::float8 * 1000 AS left_ms
       FROM keys WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`, [hash]);
    const row = rows[0];
    if (row === undefined || !timingSafeEqual(row.hash, hash)) return { identity: null, expiresAt: null };
    return {
      identity: { keyId: row.id, organizationId: row.organization_id, scopes: row.scopes },
      expiresAt: row.left_ms === null ? null : askedAt + row.left_ms,
    };
  }

  async function authenticateAnew(key: string, name: string): Promise<Identity | null> {
    const hash = hashApiKey(key);
    if (!(await mayBeKnown(key, hash))) return null;
    const identity = await cache.get(name, () => lookUp(hash));
    if (identity !== null) lastUsed.note(identity.keyId);
    return identity;
  }

  async function authenticateSessionAnew(secret: string, name: string): Promise<Identity | null> {
    const identity = await cache.get(name, async () => {
      const askedAt = system.clock.now();
      const found = await findSession(database, hashApiKey(secret));
      return { identity: found.identity, expiresAt: found.leftMs === null ? null : askedAt + found.leftMs };
    });
    if (identity !== null) lastUsed.note(identity.keyId);
    return identity;
  }

  async function changed<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result> {
    const result = await database.transaction(async (transaction) => {
      const made = await work(transaction);
      await transaction.query('SELECT pg_notify($1, $2)', [keysChannel, '']);
      return made;
    });
    forget();
    return result;
  }

  return {
    authenticate(key) {
      if (key.length === 0 || key.length > maxKeyLength) return null;
      const name = nameOfKey(key);
      const remembered = cache.peek(name);
      if (remembered === undefined) return authenticateAnew(key, name);
      if (remembered !== null) lastUsed.note(remembered.keyId);
      return remembered;
    },
    findEnded: async (key) => (isWellFormed(key) ? findEndedKey(database, hashApiKey(key)) : null),
    create: (request) => changed((transaction) => insertKey(transaction, system, request)),
    list: (organizationId) => listRecords(database, organizationId),
    async find(organizationId, id) {
      const record = await findRecord(database, id);
      return record?.organizationId === organizationId ? record : null;
    },
    revoke: (id) => changed((transaction) => revokeKey(transaction, id)),
    rotate: (id, overlapMs) => changed((transaction) => rotateKey(transaction, system, id, overlapMs)),
    ensureOrganization: (name) => ensureOrganization(database, system, name),
    findOrganization: (name) => findOrganization(database, name),
    authenticateSession(secret) {
      if (secret.length === 0 || secret.length > maxKeyLength) return null;
      const name = `session ${nameOfKey(secret)}`;
      const remembered = cache.peek(name);
      if (remembered === undefined) return authenticateSessionAnew(secret, name);
      if (remembered !== null) lastUsed.note(remembered.keyId);
      return remembered;
    },
    beginSession: (keyId) => database.transaction((transaction) => insertSession(transaction, system.random, keyId)),
    endSession: (secret) => changed((transaction) => deleteSession(transaction, secret)),
    makeSignInLink: () => database.transaction((transaction) => insertSignInLink(transaction, system.random)),
    useSignInLink: (secret) => database.transaction((transaction) => exchangeLink(transaction, system.random, secret)),
    ensureFirstKey: (wishes) => changed((transaction) => ensureFirstKey(transaction, { ...wishes, system, log })),
    async close() {
      await silence().catch(() => {});
      await lastUsed.close();
    },
  };
}

async function findOrganization(connection: Connection, name: string): Promise<string | null> {
  const { rows } = await connection.query<{ id: string }>('SELECT id FROM organizations WHERE name = $1', [name]);
  return rows[0]?.id ?? null;
}

async function ensureOrganization(database: Database, system: SystemInterfaces, name: string): Promise<string> {
  if (name.length === 0 || name.length > 200) {
    throw platformErrors.problem('invalid-parameter', `The name of an organization must have 1 to 200 characters; the given name has ${name.length}.`);
  }
  await database.query(
    'INSERT INTO organizations (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [name === 'default' ? name : system.random.uuid(), name]);
  const { rows } = await database.query<{ id: string }>('SELECT id FROM organizations WHERE name = $1', [name]);
  return (rows[0] as { id: string }).id;
}
