import type { Connection, Transactor } from '@vouch/platform/database/database';

/** Rows that one step removed. */
export interface Removed {
  messages: number;
  transactions: number;
}

/** Maximum number of transactions per step, each of up to 400 messages. */
const transactionsAtOnce = 20;
/** Maximum number of messages without a transaction per step. */
const messagesAtOnce = 1_000;

const isFinal = `r.state IN ('confirmed', 'failed', 'expired') AND r.ended_at < $2`;

/**
 * SQL condition for a transaction that can be removed: ended and counted, all its messages ended, named by no reported day and no open attestation,
 * and not in its key's newest block, which shows whether an endpoint lags behind. `OFFSET 0` makes PostgreSQL check the rows of one transaction after the
 * other until the limit is reached; as a join, it would read all messages for each step.
 */
const isRemovable = `b.deployment = $1 AND b.created_at < $2 AND b.state IN ('confirmed', 'abandoned') AND b.ended_at < $2 AND b.totaled
  AND NOT EXISTS (SELECT FROM gateway_members m JOIN gateway_requests r USING (request_id) WHERE m.batch_id = b.batch_id AND NOT (${isFinal}) OFFSET 0)
  AND NOT EXISTS (SELECT FROM gateway_activity a WHERE a.batch_id = b.batch_id OFFSET 0)
  AND NOT EXISTS (SELECT FROM gateway_attestations a WHERE a.batch_id = b.batch_id OFFSET 0)
  AND b.block_number IS DISTINCT FROM (
    SELECT max(newest.block_number) FROM gateway_batches newest
    WHERE newest.deployment = b.deployment AND newest.relayer = b.relayer AND newest.block_number IS NOT NULL)`;

/**
 * Removes messages and transactions that ended before a time, in one bounded database transaction, oldest first. What removed messages cost is added
 * to the daily bills in the same transaction. Messages stay that can still take effect: those whose deadline is not over.
 * @param before messages and transactions that ended earlier can be removed
 * @returns zeros if nothing is left to remove, or if another process removes rows at the moment
 */
export function removeEnded(database: Transactor, before: Date): Promise<Removed> {
  return database.transaction(async (transaction) => {
    const { rows: [lock] } = await transaction.query<{ taken: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtextextended('gateway:retention', 0)) AS taken`);
    const removed: Removed = { messages: 0, transactions: 0 };
    if (lock?.taken !== true) return removed;
    // Before the first ANALYZE of a table, PostgreSQL would read all its rows for the first few of them.
    await transaction.query(['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map((way) => `SET LOCAL enable_${way} = off`).join('; '));
    // Each deployment that ever had a writer has a row here; gateway_requests has an index by deployment and time only.
    const { rows } = await transaction.query<{ deployment: string }>('SELECT DISTINCT deployment FROM gateway_lines ORDER BY deployment');
    for (const { deployment } of rows) {
      const { messages, transactions } = await removeOf(transaction, deployment, before);
      removed.messages += messages;
      removed.transactions += transactions;
      if (messages + transactions > 0) break;
    }
    return removed;
  });
}

async function removeOf(transaction: Connection, deployment: string, before: Date): Promise<Removed> {
  const { rows } = await transaction.query<{ batch_id: string }>(
    `SELECT batch_id FROM gateway_batches b WHERE ${isRemovable} ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED`, [deployment, before, transactionsAtOnce]);
  // Messages of transactions that are not removed yet would be read again at each step.
  if (rows.length === 0) return { messages: await removeMessages(transaction, deployment, before), transactions: 0 };
  const ids = rows.map(({ batch_id: id }) => id);
  await transaction.query(
    `INSERT INTO gateway_daily_bills AS known (deployment, day, signer, kind, messages, gas, wei)
     SELECT b.deployment, (b.mined_at AT TIME ZONE 'UTC')::date AS day, r.signer, r.kind, count(*), coalesce(sum(m.gas_used), 0), coalesce(sum(m.cost_wei), 0)
     FROM gateway_batches b JOIN gateway_members m USING (batch_id) JOIN gateway_requests r ON r.request_id = m.request_id
     WHERE b.batch_id = any($1::text[]) AND b.state = 'confirmed'
     GROUP BY b.deployment, day, r.signer, r.kind
     ON CONFLICT (deployment, day, signer, kind) DO UPDATE SET messages = known.messages + excluded.messages,
       gas = known.gas + excluded.gas, wei = known.wei + excluded.wei`, [ids]);
  const { rows: members } = await transaction.query<{ request_id: string }>('DELETE FROM gateway_members WHERE batch_id = any($1::text[]) RETURNING request_id', [ids]);
  for (const table of ['gateway_attempts', 'gateway_orders', 'gateway_batches']) await transaction.query(`DELETE FROM ${table} WHERE batch_id = any($1::text[])`, [ids]);
  const { rowCount } = await transaction.query(
    `DELETE FROM gateway_requests r WHERE request_id = any($1::text[]) AND ${isFinal} AND deadline < $2
       AND NOT EXISTS (SELECT FROM gateway_members m WHERE m.request_id = r.request_id)`,
    [members.map(({ request_id: id }) => id), before]);
  return { messages: rowCount ?? 0, transactions: ids.length };
}

/** Removes ended messages that no transaction carries. */
async function removeMessages(transaction: Connection, deployment: string, before: Date): Promise<number> {
  const { rowCount } = await transaction.query(
    `DELETE FROM gateway_requests WHERE request_id IN (
       SELECT request_id FROM gateway_requests r
       WHERE deployment = $1 AND received_at < $2 AND ${isFinal} AND deadline < $2
         AND NOT EXISTS (SELECT FROM gateway_members m WHERE m.request_id = r.request_id OFFSET 0)
       ORDER BY received_at LIMIT $3 FOR UPDATE SKIP LOCKED)`,
    [deployment, before, messagesAtOnce]);
  return rowCount ?? 0;
}
