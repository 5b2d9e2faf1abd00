import type { Connection, Transactor } from '@vouch/platform/database/database';

/** Transactions of a deployment in one state. */
export interface Total {
  state: string;
  transactions: number;
  /** Gas by receipts; 0 for states without a receipt. */
  gasUsed: bigint;
  /** Gas of the executed messages if each signer had sent its own transaction. */
  gasAlone: bigint;
}

/**
 * Adds ended transactions that are not counted yet to the totals. Several processes can do this at the same time.
 * @param most maximum number of transactions
 * @returns number of added transactions
 */
export async function addTotals(database: Transactor, most: number): Promise<number> {
  const { rows } = await database.transaction(async (transaction) => {
    // After an update of many rows and before the next ANALYZE, PostgreSQL would read all transactions instead of the index of uncounted ones.
    await transaction.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
    return transaction.query<{ count: number }>(
      `WITH ended AS (
       SELECT batch_id FROM gateway_batches WHERE totaled IS NULL AND state IN ('confirmed', 'abandoned') LIMIT $1 FOR UPDATE SKIP LOCKED),
     added AS (
       UPDATE gateway_batches b SET totaled = true FROM ended WHERE b.batch_id = ended.batch_id
       RETURNING b.deployment, b.state, CASE WHEN b.state = 'confirmed' THEN b.gas_used END AS gas_used, CASE WHEN b.state = 'confirmed' THEN b.gas_alone END AS gas_alone),
     summed AS (
       INSERT INTO gateway_totals AS known (deployment, state, transactions, gas_used, gas_alone)
       SELECT deployment, state, count(*), coalesce(sum(gas_used), 0), coalesce(sum(gas_alone), 0) FROM added GROUP BY deployment, state ORDER BY deployment, state
       ON CONFLICT (deployment, state) DO UPDATE SET transactions = known.transactions + excluded.transactions,
         gas_used = known.gas_used + excluded.gas_used, gas_alone = known.gas_alone + excluded.gas_alone)
     SELECT count(*)::int AS count FROM added`, [most]);
  });
  return rows[0]?.count ?? 0;
}

/** Reads a deployment's totals by state, removed transactions included. Reads one row per pending or uncounted transaction. */
export async function loadTotals(connection: Connection, deployment: string): Promise<Total[]> {
  const { rows } = await connection.query<{ state: string; transactions: string; used: string; alone: string }>(
    `SELECT state, sum(transactions) AS transactions, coalesce(sum(used), 0) AS used, coalesce(sum(alone), 0) AS alone FROM (
       SELECT state, transactions, gas_used AS used, gas_alone AS alone FROM gateway_totals WHERE deployment = $1
       UNION ALL
       SELECT state, count(*), sum(gas_used) FILTER (WHERE state IN ('mined', 'confirmed')), sum(gas_alone) FILTER (WHERE state IN ('mined', 'confirmed'))
       FROM gateway_batches WHERE deployment = $1 AND totaled IS NULL GROUP BY state) part
     GROUP BY state`, [deployment]);
  return rows.map(({ state, transactions, used, alone }) => ({
    state, transactions: Number(transactions), gasUsed: BigInt(used), gasAlone: BigInt(alone),
  }));
}
