import type { Connection, Database } from '../database/database.ts';
import type { Outcome } from './deliver.ts';
import type { WebhookRequest } from './webhooks.ts';

/** Time in ms for which a delivery is attempted: 24 hours. */
const deliveryPeriodMs = 24 * 3_600_000;
/** Channel that wakes the senders. */
export const webhookChannel = 'vouch_webhooks';

/** Lease of a claimed attempt in ms. After it, another process repeats the attempt. */
const leaseMs = 60_000;
/** Backoff: 5 s, 20 s, 80 s, … up to 3 h, each multiplied by 0.5 to 1.5. About 14 attempts in 24 h. */
const firstDelayMs = 5_000;
const longestDelayMs = 3 * 3_600_000;

export type DeliveryStatus = 'pending' | 'delivered' | 'given_up';

/** A delivery, as its organization sees it. */
export interface Delivery {
  id: string;
  /** Increases with each delivery; the cursor of the list's pages. */
  number: string;
  type: string;
  url: string;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: Date | null;
  last_error: string | null;
  created_at: Date;
  ended_at: Date | null;
}

/** One recorded attempt. */
export interface Attempt {
  number: number;
  started_at: Date;
  duration_ms: number;
  answer_status: number | null;
  answer_body: string | null;
  error: string | null;
}

/** A delivery that this process may attempt now. */
export interface ClaimedDelivery {
  id: string;
  organization_id: string;
  url: string;
  host: string;
  type: string;
  body: string;
  attempts: number;
  failures: number;
  fence: string;
  /** Time at which this attempt was due, as PostgreSQL writes it, with microseconds. */
  due: string;
  traceparent: string | null;
}

const shown = 'id, number, type, url, status, attempts, next_attempt_at, last_error, created_at, ended_at';

/**
 * Records a delivery in the caller's transaction. The senders are woken after the commit. All times of deliveries are those of the database, so that a
 * process with a wrong clock neither delays nor hurries a callback.
 */
export async function insertDelivery(transaction: Connection, id: string, request: WebhookRequest): Promise<void> {
  const { organizationId, url, type, data, traceparent = null } = request;
  const { rows: [time] } = await transaction.query<{ now: Date }>('SELECT now() AS now');
  if (time === undefined) throw new Error('the database has no time');
  const body = JSON.stringify({ type, timestamp: time.now.toISOString(), data });
  const host = URL.canParse(url) ? new URL(url).host : '';
  await transaction.query(
    `INSERT INTO webhook_deliveries (id, organization_id, url, host, type, body, next_attempt_at, give_up_at, created_at, traceparent)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7, $9)`,
    [id, organizationId, url, host, type, body, time.now, new Date(time.now.getTime() + deliveryPeriodMs), traceparent]);
  await transaction.query('SELECT pg_notify($1, $2)', [webhookChannel, '']);
}

/** SQL: whether a delivery may be attempted now. */
const isDue = `status = 'pending' AND next_attempt_at <= now() AND (lease_until IS NULL OR lease_until <= now())`;

/**
 * Lists organizations with a delivery that may be attempted now. The recursion finds each name with one look into the index, so the number of
 * deliveries that wait does not matter.
 * @param busyHosts hosts for which this process has reached its limit of open attempts
 * @param busyOrganizations organizations for which this process has reached its limit
 */
export async function listDueOrganizations(database: Connection, busyHosts: readonly string[], busyOrganizations: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `WITH RECURSIVE found AS (
       (SELECT organization_id AS name FROM webhook_deliveries WHERE status = 'pending' ORDER BY organization_id LIMIT 1)
       UNION ALL
       SELECT (SELECT organization_id FROM webhook_deliveries WHERE status = 'pending' AND organization_id > name ORDER BY organization_id LIMIT 1)
       FROM found WHERE name IS NOT NULL)
     SELECT name FROM found WHERE name <> ALL($2) AND EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE organization_id = name AND host <> ALL($1) AND ${isDue})`,
    [busyHosts, busyOrganizations]);
  return rows.map(({ name }) => name);
}

/** Lists hosts to which a delivery of an organization may be attempted now, like `listDueOrganizations`. */
export async function listDueHosts(database: Connection, organizationId: string, busyHosts: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `WITH RECURSIVE found AS (
       (SELECT host AS name FROM webhook_deliveries WHERE status = 'pending' AND organization_id = $1 ORDER BY host LIMIT 1)
       UNION ALL
       SELECT (SELECT host FROM webhook_deliveries WHERE status = 'pending' AND organization_id = $1 AND host > name ORDER BY host LIMIT 1)
       FROM found WHERE name IS NOT NULL)
     SELECT name FROM found WHERE name <> ALL($2) AND EXISTS (
       SELECT 1 FROM webhook_deliveries WHERE organization_id = $1 AND host = name AND ${isDue})`,
    [organizationId, busyHosts]);
  return rows.map(({ name }) => name);
}

/** Claims, under a lease, the delivery of an organization to a host that has been due longest. Null if none is due. */
export async function claimDelivery(database: Database, fence: string, organizationId: string, host: string): Promise<ClaimedDelivery | null> {
  const { rows } = await database.query<ClaimedDelivery>(
    `UPDATE webhook_deliveries SET fence = $1, lease_until = now() + $2 * interval '1 ms'
     WHERE id = (
       SELECT id FROM webhook_deliveries WHERE organization_id = $3 AND host = $4 AND ${isDue}
       ORDER BY next_attempt_at
       LIMIT 1
       FOR UPDATE SKIP LOCKED)
     RETURNING id, organization_id, url, host, type, body, attempts, failures, fence, next_attempt_at::text AS due, traceparent`,
    [fence, leaseMs, organizationId, host]);
  return rows[0] ?? null;
}

/**
 * Records an attempt and the delivery's new state. Does nothing and returns null if another process has claimed the delivery meanwhile.
 * A delivery that was restarted during the attempt stays due.
 * @param fraction uniform in [0, 1), for the jitter
 */
export async function recordAttempt(database: Database, delivery: ClaimedDelivery, outcome: Outcome, fraction: number): Promise<DeliveryStatus | null> {
  const isDelivered = outcome.error === null;
  const delayMs = delayAfter(delivery.failures + 1) * (0.5 + fraction);
  return database.transaction(async (transaction) => {
    const { rows: [recorded] } = await transaction.query<{ status: DeliveryStatus }>(
      `UPDATE webhook_deliveries SET
         status = new.status, attempts = attempts + 1, failures = CASE WHEN new.restarted THEN 0 ELSE failures + $4 END, last_error = $5, fence = NULL, lease_until = NULL,
         next_attempt_at = CASE new.status WHEN 'pending' THEN new.next_at END, ended_at = CASE new.status WHEN 'pending' THEN NULL ELSE now() END
       FROM (
         SELECT id AS of, restarted, CASE WHEN restarted THEN next_attempt_at ELSE retry_at END AS next_at,
           CASE WHEN restarted THEN 'pending' WHEN $3 THEN 'delivered' WHEN retry_at > give_up_at THEN 'given_up' ELSE 'pending' END AS status
         FROM webhook_deliveries, LATERAL (SELECT now() + $6 * interval '1 ms' AS retry_at, next_attempt_at > $7::timestamptz AS restarted) AS retry
         WHERE id = $1) AS new
       WHERE id = new.of AND fence = $2
       RETURNING new.status`,
      [delivery.id, delivery.fence, isDelivered, isDelivered ? 0 : 1, outcome.error, delayMs, delivery.due]);
    if (recorded === undefined) return null;
    await transaction.query(
      `INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, answer_status, answer_body, error)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [delivery.id, delivery.attempts + 1, new Date(outcome.startedAt), outcome.durationMs, outcome.answerStatus,
        outcome.answerBody, outcome.error]);
    return recorded.status;
  });
}

function delayAfter(failures: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 4 ** Math.min(failures - 1, 10));
}

/** Sends a delivery again, now and with retries for another 24 hours. Null if the organization has no delivery with this id. */
export async function restartDelivery(
  transaction: Connection, organizationId: string, id: string,
): Promise<Delivery | null> {
  if (!isUuid(id)) return null;
  const { rows } = await transaction.query<Delivery>(
    `UPDATE webhook_deliveries SET
       status = 'pending', failures = 0, next_attempt_at = now(), give_up_at = now() + $3 * interval '1 ms', ended_at = NULL
     WHERE organization_id = $1 AND id = $2
     RETURNING ${shown}`,
    [organizationId, id, deliveryPeriodMs]);
  await transaction.query('SELECT pg_notify($1, $2)', [webhookChannel, '']);
  return rows[0] ?? null;
}

/**
 * Lists deliveries of an organization, the newest first.
 * @param before `number` of the last delivery on the previous page; null for the first page
 */
export async function listDeliveries(
  connection: Connection, organizationId: string, limit: number, before: string | null,
): Promise<Delivery[]> {
  const { rows } = await connection.query<Delivery>(
    `SELECT ${shown} FROM webhook_deliveries
     WHERE organization_id = $1 AND ($2::bigint IS NULL OR number < $2)
     ORDER BY number DESC LIMIT $3`,
    [organizationId, before, limit]);
  return rows;
}

/** Returns one delivery with its body and its newest 100 attempts in chronological order, or null. */
export async function findDelivery(
  connection: Connection, organizationId: string, id: string,
): Promise<(Delivery & { body: string; attempt_list: Attempt[] }) | null> {
  if (!isUuid(id)) return null;
  const { rows } = await connection.query<Delivery & { body: string }>(
    `SELECT ${shown}, body FROM webhook_deliveries WHERE organization_id = $1 AND id = $2`, [organizationId, id]);
  const delivery = rows[0];
  if (delivery === undefined) return null;
  const attempts = await connection.query<Attempt>(
    `SELECT number, started_at, duration_ms, answer_status, answer_body, error FROM webhook_attempts
     WHERE delivery_id = $1 ORDER BY number DESC LIMIT 100`, [id]);
  return { ...delivery, attempt_list: attempts.rows.toReversed() };
}

/** Removes up to 1,000 deliveries that ended more than `ageMs` ago, with their attempts. @returns number of removed deliveries */
export async function removeEnded(connection: Connection, ageMs: number): Promise<number> {
  const { rowCount } = await connection.query(
    `DELETE FROM webhook_deliveries WHERE id = ANY(ARRAY(
       SELECT id FROM webhook_deliveries WHERE ended_at < now() - $1 * interval '1 ms' LIMIT 1000 FOR UPDATE SKIP LOCKED))`, [ageMs]);
  return rowCount ?? 0;
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
