import { timingSafeEqual } from 'node:crypto';
import type { Connection, Database } from '../database/database.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/doors.ts';
import { hashApiKey, isWellFormed, nameOfKey } from './apiKey.ts';
import { ensureFirstKey, type FirstKey, type FirstKeyOptions } from './firstKey.ts';
import { createKeyCache } from './keyCache.ts';
import { insertKey, listRecords, revokeKey, rotateKey, type KeyRecord, type MadeKey, type NewKey } from './keyRecords.ts';
import { createLastUsed } from './lastUsed.ts';
import type { Scope } from './scopes.ts';

/** Whose key it is and what it may do. */
export interface Identity {
  keyId: string;
  organizationId: string;
  scopes: readonly Scope[];
}

export interface KeyStore {
  /** Who sends this key, or null where it is not known, was revoked or has expired. Remembered for 5 s, and then told at once. */
  authenticate(key: string): Identity | null | Promise<Identity | null>;
  /** @throws Problem `invalid-parameter`, `not-found` (organization) */
  create(request: NewKey): Promise<MadeKey>;
  /** All keys, or those of one organization, newest first. */
  list(organizationId?: string): Promise<KeyRecord[]>;
  /** Ends a key at once, in all processes; null where there is none. Repeating it changes nothing. */
  revoke(id: string): Promise<KeyRecord | null>;
  /**
   * Makes a replacement with the same name, scopes and end; the old key lives on for the overlap.
   * @throws Problem `not-found` where there is no valid key with this id, `invalid-parameter` for a key from the environment
   */
  rotate(id: string, overlapMs: number): Promise<MadeKey>;
  /** The id of the organization with this name, which is made if absent. */
  ensureOrganization(name: string): Promise<string>;
  /** The id of the organization with this name, null where there is none. */
  findOrganization(name: string): Promise<string | null>;
  /** The first start makes organization `default` with an admin key; see firstKey.ts. */
  ensureFirstKey(options: FirstKeyOptions): Promise<FirstKey>;
  close(): Promise<void>;
}

export const keysChannel = 'vouch_keys';
const rememberMs = 5_000;
/** About 3 MB at most. */
const maxRemembered = 10_000;
/** Longer texts are no keys; they are not even hashed. */
const maxKeyLength = 512;
/** Opens the store of keys. It hears of changes made by other processes through PostgreSQL. */
export async function createKeyStore(
  options: { database: Database; doors: SystemInterfaces; log: Logger },
): Promise<KeyStore> {
  const { database, doors, log } = options;
  const cache = createKeyCache<Identity>(doors.clock, rememberMs, maxRemembered);
  const environmentCache = createKeyCache<readonly Buffer[]>(doors.clock, rememberMs, 1);
  const lastUsed = createLastUsed(database, doors.clock, log);
  const forget = (): void => {
    cache.clear();
    environmentCache.clear();
  };
  const silence = await database.listen(keysChannel, forget);

  /** A flood of texts that are no keys costs no statement each: only keys from the environment have any form. */
  async function mayBeKnown(key: string, hash: Buffer): Promise<boolean> {
    if (isWellFormed(key)) return true;
    const known = await environmentCache.get('', async () => {
      const { rows } = await database.query<{ hash: Buffer }>(
        `select hash from keys where source = 'environment' and revoked_at is null limit 100`);
      return { identity: rows.map((row) => row.hash), expiresAt: null };
    });
    return known?.some((each) => timingSafeEqual(each, hash)) ?? false;
  }

  async function lookUp(hash: Buffer): Promise<{ identity: Identity | null; expiresAt: number | null }> {
    const { rows } = await database.query<{
      id: string; organization_id: string; hash: Buffer; scopes: Scope[]; expires_at: Date | null; left_ms: number | null;
    }>(
      `select id, organization_id, hash, scopes, expires_at, extract(epoch from expires_at - now())::float8 * 1000 as left_ms
       from keys where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`, [hash]);
    const row = rows[0];
    if (row === undefined || !timingSafeEqual(row.hash, hash)) return { identity: null, expiresAt: null };
    return {
      identity: { keyId: row.id, organizationId: row.organization_id, scopes: row.scopes },
      expiresAt: row.left_ms === null ? null : doors.clock.now() + row.left_ms,
    };
  }

  async function authenticateAnew(key: string, name: string): Promise<Identity | null> {
    const hash = hashApiKey(key);
    if (!(await mayBeKnown(key, hash))) return null;
    const identity = await cache.get(name, () => lookUp(hash));
    if (identity !== null) lastUsed.note(identity.keyId);
    return identity;
  }

  async function changed<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result> {
    const result = await database.transaction(async (transaction) => {
      const made = await work(transaction);
      await transaction.query('select pg_notify($1, $2)', [keysChannel, '']);
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
    create: (request) => changed((transaction) => insertKey(transaction, doors, request)),
    list: (organizationId) => listRecords(database, organizationId),
    revoke: (id) => changed((transaction) => revokeKey(transaction, id)),
    rotate: (id, overlapMs) => changed((transaction) => rotateKey(transaction, doors, id, overlapMs)),
    ensureOrganization: (name) => ensureOrganization(database, doors, name),
    findOrganization: (name) => findOrganization(database, name),
    ensureFirstKey: (wishes) => changed((transaction) => ensureFirstKey(transaction, { ...wishes, doors, log })),
    async close() {
      await silence().catch(() => {});
      await lastUsed.close();
    },
  };
}

async function findOrganization(connection: Connection, name: string): Promise<string | null> {
  const { rows } = await connection.query<{ id: string }>('select id from organizations where name = $1', [name]);
  return rows[0]?.id ?? null;
}

async function ensureOrganization(database: Database, doors: SystemInterfaces, name: string): Promise<string> {
  if (name.length === 0 || name.length > 200) {
    throw platformErrors.problem('invalid-parameter', `The name of an organization has 1 to 200 characters, this one has ${name.length}.`);
  }
  await database.query(
    'insert into organizations (id, name) values ($1, $2) on conflict do nothing',
    [name === 'default' ? name : doors.random.uuid(), name]);
  const { rows } = await database.query<{ id: string }>('select id from organizations where name = $1', [name]);
  return (rows[0] as { id: string }).id;
}
