import type { Connection } from '../database/database.ts';
import type { SystemInterfaces } from '../process/doors.ts';

/** How long a rotated secret keeps signing beside the new one. */
export const rotationOverlapMs = 24 * 3_600_000;

/** What `vouch webhooks secret show|rotate` prints. */
export interface WebhookSecret {
  /** `whsec_` and base64, as Standard Webhooks writes it. */
  secret: string;
  createdAt: Date;
  /** Until when the secret before it signs as well; null where none does. */
  previousUntil: Date | null;
}

interface SecretRow {
  secret: string;
  previous_secret: string | null;
  previous_until: Date | null;
  created_at: Date;
}

/** The organization's secret, made at its first use. */
export async function showSecret(connection: Connection, organizationId: string, doors: SystemInterfaces): Promise<WebhookSecret> {
  return toSecret(await readSecret(connection, organizationId, doors), doors);
}

/** Every secret that signs now, the newest first. */
export async function signingSecrets(connection: Connection, organizationId: string, doors: SystemInterfaces): Promise<string[]> {
  const row = await readSecret(connection, organizationId, doors);
  const previous = toSecret(row, doors).previousUntil === null ? null : row.previous_secret;
  return previous === null ? [row.secret] : [row.secret, previous];
}

/** Replaces the organization's secret; the one before it signs as well for 24 hours. */
export async function rotateSecret(connection: Connection, organizationId: string, doors: SystemInterfaces): Promise<WebhookSecret> {
  const now = doors.clock.now();
  const { rows } = await connection.query<SecretRow>(
    `insert into webhook_secrets as stored (organization_id, secret, created_at) values ($1, $2, $3)
     on conflict (organization_id) do update
       set secret = excluded.secret, created_at = excluded.created_at,
           previous_secret = stored.secret, previous_until = $4
     returning *`,
    [organizationId, makeSecret(doors), new Date(now), new Date(now + rotationOverlapMs)]);
  return toSecret(only(rows), doors);
}

async function readSecret(connection: Connection, organizationId: string, doors: SystemInterfaces): Promise<SecretRow> {
  const read = () => connection.query<SecretRow>('select * from webhook_secrets where organization_id = $1', [organizationId]);
  const found = (await read()).rows[0];
  if (found !== undefined) return found;
  await connection.query(
    `insert into webhook_secrets (organization_id, secret, created_at) values ($1, $2, $3)
     on conflict (organization_id) do nothing`,
    [organizationId, makeSecret(doors), new Date(doors.clock.now())]);
  return only((await read()).rows);
}

/** 256 bits, as long as the hash of the HMAC. */
function makeSecret(doors: SystemInterfaces): string {
  return `whsec_${doors.random.bytes(32).toString('base64')}`;
}

function toSecret(row: SecretRow, doors: SystemInterfaces): WebhookSecret {
  const until = row.previous_until;
  const overlaps = until !== null && until.getTime() > doors.clock.now();
  return { secret: row.secret, createdAt: row.created_at, previousUntil: overlaps ? until : null };
}

function only(rows: readonly SecretRow[]): SecretRow {
  const row = rows[0];
  if (row === undefined) throw new Error('the webhook secret of an organization was removed while it was read');
  return row;
}
