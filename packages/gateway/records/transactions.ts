import type { Connection } from '@vouch/platform/database/database';
import type { Hex } from '@vouch/chain/messages/operation';
import { toHex } from '../requests/storedOperation.ts';

/** A signed transaction of a batch with the request. Replacements have the same nonce and higher fees. */
export interface Attempt {
  transaction_hash: Hex;
  batch_id: string;
  nonce: number;
  max_fee_gwei: string;
  created_at: string;
  /** Time of the last broadcast; null before the first. */
  sent_at: string | null;
  /** Whether this transaction was mined. */
  mined: boolean;
  /** Whether this is an empty transfer, which executes no messages. */
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

/** Hash of a batch's transaction: the mined one, else the newest attempt; null before the first attempt. */
export async function findTransactionHash(connection: Connection, batchId: string): Promise<Hex | null> {
  const { rows } = await connection.query<{ hash: Buffer | null }>(
    `SELECT coalesce(batch.transaction_hash,
       (SELECT transaction_hash FROM gateway_attempts WHERE batch_id = $1 ORDER BY created_at DESC, transaction_hash LIMIT 1)) AS hash
     FROM gateway_batches AS batch WHERE batch_id = $1`,
    [batchId],
  );
  const hash = rows[0]?.hash ?? null;
  return hash === null ? null : toHex(hash);
}

/** Lists every transaction of a request in order of signing, including replacements and abandoned batches. */
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
