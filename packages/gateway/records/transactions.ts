import type { Connection } from '@vouch/platform/database/database';
import type { Hex } from '@vouch/chain/messages/operation';
import { toHex } from '../requests/storedOperation.ts';

/** One signed transaction that carried, or may have carried, a request. Replacements have the same nonce and pay more. */
export interface Attempt {
  transaction_hash: Hex;
  batch_id: string;
  nonce: number;
  max_fee_gwei: string;
  created_at: string;
  /** Null while no endpoint has taken it. */
  sent_at: string | null;
  /** Whether it is the one that was mined. */
  mined: boolean;
  /** An empty transaction in the place of one whose messages had all expired: it carries none. */
  cancels: boolean;
}

interface AttemptColumns {
  transaction_hash: Buffer;
  batch_id: string;
  nonce: string;
  max_fee_gwei: string;
  created_at: Date;
  broadcast_at: Date | null;
  mined: boolean;
  cancels: boolean;
}

/** The transaction of a batch: the mined one, else the newest that was signed; null before. */
export async function readTransactionHash(connection: Connection, batchId: string): Promise<Hex | null> {
  const { rows } = await connection.query<{ hash: Buffer | null }>(
    `SELECT coalesce(batch.transaction_hash,
       (SELECT transaction_hash FROM gateway_attempts WHERE batch_id = $1 ORDER BY created_at DESC, transaction_hash LIMIT 1)) AS hash
     FROM gateway_batches AS batch WHERE batch_id = $1`,
    [batchId],
  );
  const hash = rows[0]?.hash ?? null;
  return hash === null ? null : toHex(hash);
}

/** Every transaction that carried a request, replacements and abandoned batches included, in the order in which they were signed. */
export async function listAttempts(connection: Connection, requestId: string): Promise<Attempt[]> {
  const { rows } = await connection.query<AttemptColumns>(
    `SELECT attempt.transaction_hash, attempt.batch_id, attempt.nonce, trim_scale(attempt.max_fee_wei / 1e9)::text AS max_fee_gwei,
       attempt.created_at, attempt.broadcast_at, attempt.cancels,
       batch.transaction_hash IS NOT DISTINCT FROM attempt.transaction_hash AND batch.state IN ('mined', 'confirmed') AS mined
     FROM gateway_members AS member JOIN gateway_batches AS batch USING (batch_id) JOIN gateway_attempts AS attempt USING (batch_id)
     WHERE member.request_id = $1 ORDER BY attempt.created_at, attempt.transaction_hash LIMIT 1000`,
    [requestId],
  );
  return rows.map(({ transaction_hash: hash, batch_id, nonce, max_fee_gwei, created_at, broadcast_at, mined, cancels }) => ({
    transaction_hash: toHex(hash),
    batch_id,
    nonce: Number(nonce),
    max_fee_gwei,
    created_at: created_at.toISOString(),
    sent_at: broadcast_at?.toISOString() ?? null,
    mined,
    cancels,
  }));
}
