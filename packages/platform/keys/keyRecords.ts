import type { Connection } from '../database/database.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { hashApiKey, makeApiKey, shownLength } from './apiKey.ts';
import { isScope, scopeNames, type Scope } from './scopes.ts';

/** A key as shown in lists, without the key itself. */
export interface KeyRecord {
  id: string;
  organizationId: string;
  organization: string;
  name: string;
  /** First characters of the key, which help people recognize it; empty for a key from the environment. */
  prefix: string;
  scopes: Scope[];
  source: 'made' | 'environment';
  status: 'valid' | 'expired' | 'revoked';
  expiresAt: Date | null;
  replacedBy: string | null;
  lastUsedAt: Date | null;
  createdAt: Date;
}

/** A key to be created; a key without `expiresAt` does not expire. */
export interface NewKey {
  organizationId: string;
  name: string;
  scopes: readonly string[];
  expiresAt?: Date | null;
}

/** A key that was just created. `key` is shown once and stored nowhere. */
export interface MadeKey {
  key: string;
  record: KeyRecord;
}

/** A key that was valid, for the sentence to its holder. */
export interface EndedKey {
  id: string;
  name: string;
  how: 'expired' | 'revoked';
  endedAt: Date;
  /** Whether a rotation created another key in its place. */
  isReplaced: boolean;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface KeyRow {
  id: string; organization_id: string; organization: string; name: string; prefix: string; scopes: Scope[];
  source: KeyRecord['source']; status: KeyRecord['status']; expires_at: Date | null; replaced_by: string | null;
  last_used_at: Date | null; created_at: Date;
}

const selectRecords = `
  SELECT keys.id, organization_id, organizations.name AS organization, keys.name, prefix, scopes, source, expires_at,
    replaced_by, last_used_at, keys.created_at,
    CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' ELSE 'valid' END AS status
  FROM keys JOIN organizations ON organizations.id = organization_id`;

function toRecord(row: KeyRow): KeyRecord {
  return {
    id: row.id, organizationId: row.organization_id, organization: row.organization, name: row.name, prefix: row.prefix,
    scopes: row.scopes, source: row.source, status: row.status, expiresAt: row.expires_at, replacedBy: row.replaced_by,
    lastUsedAt: row.last_used_at, createdAt: row.created_at,
  };
}

/** Finds a key by its id. */
export async function findRecord(connection: Connection, id: string): Promise<KeyRecord | null> {
  if (!uuid.test(id)) return null;
  const { rows } = await connection.query<KeyRow>(`${selectRecords} WHERE keys.id = $1`, [id]);
  return rows[0] === undefined ? null : toRecord(rows[0]);
}

/** Finds a key that has expired or was revoked, by its hash. */
export async function findEndedKey(connection: Connection, hash: Buffer): Promise<EndedKey | null> {
  const { rows } = await connection.query<{ id: string; name: string; revoked_at: Date | null; expires_at: Date | null; replaced_by: string | null }>(
    'SELECT id, name, revoked_at, expires_at, replaced_by FROM keys WHERE hash = $1 AND (revoked_at IS NOT NULL OR expires_at <= now())', [hash]);
  const [row] = rows;
  const endedAt = row?.revoked_at ?? row?.expires_at ?? null;
  if (row === undefined || endedAt === null) return null;
  return { id: row.id, name: row.name, how: row.revoked_at === null ? 'expired' : 'revoked', endedAt, isReplaced: row.replaced_by !== null };
}

/** Returns all keys, or those of one organization, the newest first; at most 10,000. */
export async function listRecords(connection: Connection, organizationId?: string): Promise<KeyRecord[]> {
  const { rows } = await connection.query<KeyRow>(
    `${selectRecords} WHERE $1::text IS NULL OR organization_id = $1 ORDER BY keys.created_at DESC, keys.id LIMIT 10000`,
    [organizationId ?? null]);
  return rows.map(toRecord);
}

/** Creates a key in the caller's transaction. @throws Problem `invalid-parameter`, or `not-found` for an unknown organization */
export async function insertKey(transaction: Connection, system: Pick<SystemInterfaces, 'random'>, request: NewKey): Promise<MadeKey> {
  const unknown = request.scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0 || request.scopes.length === 0) {
    throw platformErrors.problem('invalid-parameter', request.scopes.length === 0
      ? 'A key needs at least one scope.' : `Unknown scope ${unknown.map((scope) => JSON.stringify(scope)).join(', ')}. Available scopes: ${scopeNames.join(', ')}.`);
  }
  if (request.name.length > 200) {
    throw platformErrors.problem('invalid-parameter', `The name of a key can have at most 200 characters; the given name has ${request.name.length}.`);
  }
  const organization = await transaction.query('SELECT 1 FROM organizations WHERE id = $1', [request.organizationId]);
  if (organization.rowCount === 0) {
    throw platformErrors.problem('not-found', `No organization has the id ${JSON.stringify(request.organizationId)}.`);
  }
  const id = system.random.uuid();
  const key = makeApiKey(system.random);
  await transaction.query(
    `INSERT INTO keys (id, organization_id, name, hash, prefix, scopes, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id, request.organizationId, request.name, hashApiKey(key), key.slice(0, shownLength), [...new Set(request.scopes)],
      request.expiresAt ?? null,
    ]);
  return { key, record: (await findRecord(transaction, id)) as KeyRecord };
}

/** Revokes a key in the caller's transaction; null if there is no such key. */
export async function revokeKey(transaction: Connection, id: string): Promise<KeyRecord | null> {
  if (!uuid.test(id)) return null;
  await transaction.query('UPDATE keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1', [id]);
  return findRecord(transaction, id);
}

/** Replaces a key in the caller's transaction. The old key stays valid for `overlapMs` ms. @throws Problem `not-found`, `invalid-parameter` */
export async function rotateKey(transaction: Connection, system: SystemInterfaces, id: string, overlapMs: number): Promise<MadeKey> {
  if (uuid.test(id)) await transaction.query('SELECT 1 FROM keys WHERE id = $1 FOR UPDATE', [id]);
  const old = await findRecord(transaction, id);
  if (old === null || old.status !== 'valid' || old.replacedBy !== null) {
    throw platformErrors.problem('not-found', `The id ${JSON.stringify(id)} is not the id of a valid key that has not been replaced: ` +
      '`vouch keys list` shows the ids.');
  }
  if (old.source === 'environment') {
    throw platformErrors.problem('invalid-parameter', 'The key is set by VOUCH_ADMIN_KEY: change this variable and restart the server.');
  }
  const made = await insertKey(transaction, system, old);
  await transaction.query(
    `UPDATE keys SET replaced_by = $2, expires_at = least(expires_at, now() + make_interval(secs => $3)) WHERE id = $1`,
    [id, made.record.id, overlapMs / 1_000]);
  return made;
}
