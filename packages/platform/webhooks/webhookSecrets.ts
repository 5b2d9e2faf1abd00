import type { Connection } from '../database/database.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** Time in ms for which a replaced secret still signs in addition to the new one: 24 hours. */
const rotationOverlapMs = 24 * 3_600_000;

/** The output of `vouch webhooks secret show|rotate`. */
export interface WebhookSecret {
  /** `whsec_` and base64, the format of Standard Webhooks. */
  secret: string;
  createdAt: Date;
  /** Time until which the previous secret signs too; null if it does not. */
  previousUntil: Date | null;
}

interface SecretRow {
  secret: string;
  previous_secret: string | null;
  previous_until: Date | null;
  created_at: Date;
}

/** Returns the organization's secret, which the first call creates. */
export async function showSecret(connection: Connection, organizationId: string, system: SystemInterfaces): Promise<WebhookSecret> {
  return toSecret(await fetchSecret(connection, organizationId, system), system);
}

/** Returns all secrets that currently sign, the newest first. */
export async function signingSecrets(connection: Connection, organizationId: string, system: SystemInterfaces): Promise<string[]> {
  const row = await fetchSecret(connection, organizationId, system);
  const previous = toSecret(row, system).previousUntil === null ? null : row.previous_secret;
  return previous === null ? [row.secret] : [row.secret, previous];
}

/** Replaces the organization's secret. The previous secret signs too for 24 hours. */
export async function rotateSecret(connection: Connection, organizationId: string, system: SystemInterfaces): Promise<WebhookSecret> {
  const now = system.clock.now();
  const { rows } = await connection.query<SecretRow>(
    `INSERT INTO webhook_secrets AS stored (organization_id, secret, created_at) VALUES ($1, $2, $3)
     ON CONFLICT (organization_id) DO UPDATE
       SET secret = excluded.secret, created_at = excluded.created_at,
           previous_secret = stored.secret, previous_until = $4
     RETURNING *`,
    [organizationId, makeSecret(system), new Date(now), new Date(now + rotationOverlapMs)]);
  return toSecret(only(rows), system);
}

async function fetchSecret(connection: Connection, organizationId: string, system: SystemInterfaces): Promise<SecretRow> {
  const read = () => connection.query<SecretRow>('SELECT * FROM webhook_secrets WHERE organization_id = $1', [organizationId]);
  const found = (await read()).rows[0];
  if (found !== undefined) return found;
  await connection.query(
    `INSERT INTO webhook_secrets (organization_id, secret, created_at) VALUES ($1, $2, $3)
     ON CONFLICT (organization_id) DO NOTHING`,
    [organizationId, makeSecret(system), new Date(system.clock.now())]);
  return only((await read()).rows);
}

/** Creates a secret of 256 bits, as long as the hash of the HMAC. */
function makeSecret(system: SystemInterfaces): string {
  return `whsec_${system.random.bytes(32).toString('base64')}`;
}

function toSecret(row: SecretRow, system: SystemInterfaces): WebhookSecret {
  const until = row.previous_until;
  const overlaps = until !== null && until.getTime() > system.clock.now();
  return { secret: row.secret, createdAt: row.created_at, previousUntil: overlaps ? until : null };
}

function only(rows: readonly SecretRow[]): SecretRow {
  const row = rows[0];
  if (row === undefined) throw new Error('the webhook secret of an organization was deleted while being read');
  return row;
}
