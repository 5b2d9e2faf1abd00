import type { Connection } from '../database/database.ts';
import { DatabaseFault } from '../database/databaseFault.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { hashApiKey } from './apiKey.ts';
import { insertKey } from './keyRecords.ts';

/** The result of `ensureFirstKey`. */
export interface FirstKey {
  organizationId: string;
  /** The key that was just created; null if keys already exist or the environment sets one. */
  key: string | null;
}

export interface FirstKeyOptions {
  adminKey?: string | undefined;
  /** Stores a new key where the operator can find it. */
  keep?: (key: string) => Promise<void>;
}

/** The organization of the first key. Holders of its keys operate the server. */
export const operatorOrganizationId = 'default';
const organizationId = operatorOrganizationId;
const adminKeyLengthMin = 24;
const maxAdminKeyLength = 512;

/**
 * Ensures that at least one key exists, in one transaction under a lock, so that servers that start at the same moment create one key together.
 * `adminKey` (VOUCH_ADMIN_KEY, any text of 24 to 512 characters) becomes an admin key of organization `default`, and a key that the variable set
 * earlier is revoked. Without `adminKey`, a key is created if there is none. `keep` gets the new key before the commit, because the key cannot be
 * recovered later.
 * @throws DatabaseFault if `adminKey` has another length; any error of `keep`, in which case no key was created
 */
export async function ensureFirstKey(
  transaction: Connection, options: FirstKeyOptions & { system: SystemInterfaces; log: Logger },
): Promise<FirstKey> {
  const { adminKey, keep, system, log } = options;
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('vouch:first-key', 0))`);
  await transaction.query(
    'INSERT INTO organizations (id, name) VALUES ($1, $1) ON CONFLICT DO NOTHING', [organizationId]);
  if (adminKey !== undefined) {
    await takeFromEnvironment(transaction, adminKey, system, log);
    return { organizationId, key: null };
  }
  const { rowCount } = await transaction.query('SELECT 1 FROM keys LIMIT 1');
  if (rowCount !== 0) return { organizationId, key: null };
  const made = await insertKey(transaction, system, { organizationId, name: 'first', scopes: ['admin'] });
  await keep?.(made.key);
  return { organizationId, key: made.key };
}

async function takeFromEnvironment(transaction: Connection, adminKey: string, system: SystemInterfaces, log: Logger): Promise<void> {
  if (adminKey.length < adminKeyLengthMin || adminKey.length > maxAdminKeyLength) {
    throw new DatabaseFault(`VOUCH_ADMIN_KEY has ${adminKey.length} characters, but must have ${adminKeyLengthMin} to ` +
      `${maxAdminKeyLength}: use a random text of this length, for example from \`openssl rand -base64 32\`.`);
  }
  const hash = hashApiKey(adminKey);
  // VOUCH_ADMIN_KEY may be a key that this server created. The key then stays in its organization and becomes an admin key.
  await transaction.query(
    `INSERT INTO keys (id, organization_id, name, hash, prefix, scopes, source)
     VALUES ($1, $2, 'VOUCH_ADMIN_KEY', $3, '', '{admin}', 'environment')
     ON CONFLICT (hash) DO UPDATE SET scopes = '{admin}', source = 'environment', revoked_at = NULL, expires_at = NULL`,
    [system.random.uuid(), organizationId, hash]);
  const { rows } = await transaction.query<{ id: string }>(
    `UPDATE keys SET revoked_at = now()
     WHERE source = 'environment' AND revoked_at IS NULL AND hash <> $1 RETURNING id`, [hash]);
  for (const { id } of rows) {
    log.warn({ key_id: id }, 'VOUCH_ADMIN_KEY changed; the previous key was revoked');
  }
}
