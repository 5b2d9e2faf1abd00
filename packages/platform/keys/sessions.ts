import type { Connection } from '../database/database.ts';
import type { Random } from '../process/systemInterfaces.ts';
import { hashApiKey } from './apiKey.ts';
import { operatorOrganizationId } from './firstKey.ts';
import type { Identity } from './identity.ts';
import type { Scope } from './scopes.ts';

/** Duration of a session in seconds: twelve hours. */
export const sessionSeconds = 12 * 3_600;
/** Time in seconds within which a sign-in link can be used. */
const linkSeconds = 600;
const secretBytes = 32;

/** A session that was just created. The secret is stored nowhere. */
export interface MadeSession {
  secret: string;
  keyId: string;
}

/** A valid session as the database knows it. */
interface FoundSession {
  identity: Identity | null;
  /** Time in ms until the session or its key ends; null for an unknown session. */
  leftMs: number | null;
}

const validKey = 'revoked_at IS NULL AND (keys.expires_at IS NULL OR keys.expires_at > now())';

/** Begins a session with the rights of a key; expired sessions are removed. */
export async function insertSession(transaction: Connection, random: Pick<Random, 'bytes'>, keyId: string, kind: 'link' | 'session' = 'session'): Promise<MadeSession> {
  const secret = random.bytes(secretBytes).toString('base64url');
  await transaction.query('DELETE FROM sessions WHERE expires_at < now()');
  await transaction.query(
    `INSERT INTO sessions (hash, key_id, kind, expires_at) VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
    [hashApiKey(secret), keyId, kind, kind === 'link' ? linkSeconds : sessionSeconds]);
  return { secret, keyId };
}

/**
 * Creates the secret of a sign-in link with the rights of the operator's oldest admin key. Null if the operator has no valid admin key.
 */
export async function insertSignInLink(transaction: Connection, random: Pick<Random, 'bytes'>): Promise<string | null> {
  const { rows } = await transaction.query<{ id: string }>(
    `SELECT id FROM keys WHERE organization_id = $1 AND 'admin' = ANY(scopes) AND ${validKey} ORDER BY created_at, id LIMIT 1`, [operatorOrganizationId]);
  const [key] = rows;
  return key === undefined ? null : (await insertSession(transaction, random, key.id, 'link')).secret;
}

/** Exchanges the secret of a link for a session, once. Null if the link is unknown, used or expired, or its key has ended. */
export async function exchangeLink(transaction: Connection, random: Pick<Random, 'bytes'>, secret: string): Promise<MadeSession | null> {
  const { rows } = await transaction.query<{ key_id: string }>(
    `DELETE FROM sessions USING keys
     WHERE sessions.hash = $1 AND kind = 'link' AND sessions.expires_at > now() AND keys.id = key_id AND ${validKey} RETURNING key_id`,
    [hashApiKey(secret)]);
  const [link] = rows;
  return link === undefined ? null : insertSession(transaction, random, link.key_id);
}

/** Ends a session. Unknown secrets have no effect. */
export async function deleteSession(transaction: Connection, secret: string): Promise<void> {
  await transaction.query('DELETE FROM sessions WHERE hash = $1', [hashApiKey(secret)]);
}

/** Finds the holder of a session with the current scopes of its key. */
export async function findSession(connection: Connection, hash: Buffer): Promise<FoundSession> {
  const { rows } = await connection.query<{ id: string; organization_id: string; scopes: Scope[]; left_ms: number }>(
    `SELECT keys.id, organization_id, scopes, extract(epoch FROM least(sessions.expires_at, keys.expires_at) - now())::float8 * 1000 AS left_ms
     FROM sessions JOIN keys ON keys.id = key_id
     WHERE sessions.hash = $1 AND kind = 'session' AND sessions.expires_at > now() AND ${validKey}`, [hash]);
  const [row] = rows;
  if (row === undefined) return { identity: null, leftMs: null };
  return { identity: { keyId: row.id, organizationId: row.organization_id, scopes: row.scopes }, leftMs: row.left_ms };
}
