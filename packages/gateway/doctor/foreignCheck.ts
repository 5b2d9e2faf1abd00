import type { Database } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/findings';
import { toHex } from '../requests/storedOperation.ts';
import { gatewayFindings } from './gatewayFindings.ts';

/** How long a lost nonce is reported. */
const reportedMs = 86_400_000;

/**
 * Names the relayer keys that another program uses: transactions of the last day whose nonces it took.
 * @param now ms since 1970
 */
export async function checkForeignUse(database: Database, deployment: string, now: number): Promise<Finding[]> {
  const { rows } = await database.query<{ relayer: Buffer; count: number; at: Date; reason: string }>(
    `SELECT relayer, count(*)::int AS count, max(ended_at) AS at, (array_agg(reason ORDER BY ended_at DESC))[1] AS reason
     FROM gateway_batches
     WHERE deployment = $1 AND created_at > $2 AND state = 'abandoned' AND nonce IS NOT NULL GROUP BY relayer ORDER BY relayer`,
    [deployment, new Date(now - reportedMs)]);
  return rows.map(({ relayer, count, at, reason }) => gatewayFindings.found('key-used-elsewhere',
    `within the last day, ${count} ${count === 1 ? 'transaction' : 'transactions'} of the relayer key ${toHex(relayer)} lost ${count === 1 ? 'its nonce' : 'their nonces'} to another program, the newest at ${at.toISOString()}: ${reason}`));
}
