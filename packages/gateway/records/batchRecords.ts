import type { Connection } from '@vouch/platform/database/database';
import { Type, type Static } from 'typebox';
import { getAddress } from 'viem/utils';
import { scopeValues, withinScope, type RowScope } from '../requests/rowScope.ts';
import { toHex } from '../requests/storedOperation.ts';
import { gatewayBatchExample } from './record.examples.ts';

const optional = (type: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>) => Type.Union([type, Type.Null()]);

/** A transaction of the gateway, for its operator. */
export const BatchRecord = Type.Object({
  batch_id: Type.String(),
  status: Type.String({ description: '`claimed`, `prepared`, `sent`, `mined`, `confirmed` or `abandoned`.' }),
  purpose: Type.String({ description: '`operations`; `filler` for a transaction that only fills a nonce gap, `activity` for reports of daily activity, `randomness` for repeated requests of random words, `conclusion` for records of how attestations ended.' }),
  relayer: Type.String(),
  nonce: optional(Type.Integer()),
  operations: Type.Integer(),
  transaction_hash: optional(Type.String()),
  block_number: optional(Type.Integer()),
  gas_used: optional(Type.Integer()),
  gas_alone: optional(Type.Integer()),
  gas_saved: Type.Union([Type.Integer(), Type.Null()], { description: '`gas_alone` - `gas_used`: savings compared with one transaction per operation, each sent by its signer.' }),
  gas_price_wei: optional(Type.String()),
  reason: optional(Type.String()),
  created_at: Type.String(),
  sent_at: optional(Type.String()),
  mined_at: optional(Type.String()),
  ended_at: optional(Type.String()),
}, { title: 'GatewayBatch', examples: [gatewayBatchExample] });
export type BatchRecord = Static<typeof BatchRecord>;

interface BatchColumns {
  batch_id: string;
  state: string;
  purpose: string;
  relayer: Buffer;
  nonce: string | null;
  operations: number;
  transaction_hash: Buffer | null;
  block_number: string | null;
  gas_used: string | null;
  gas_alone: string | null;
  gas_price_wei: string | null;
  reason: string | null;
  created_at: Date;
  created_us: string;
  sent_at: Date | null;
  mined_at: Date | null;
  ended_at: Date | null;
}

/**
 * Lists batches in scope, newest first.
 * @param limit maximum number of batches
 * @param after cursor of the previous page, or null
 * @returns the page, and the cursor of the next page or null
 */
export async function listBatches(
  connection: Connection, scope: RowScope, limit: number, after: string | null,
): Promise<{ batches: BatchRecord[]; next: string | null }> {
  const [createdUs = null, batchId = null] = parseCursor(after);
  const { rows } = await connection.query<BatchColumns>(
    `SELECT batch_id, state, purpose, relayer, nonce, operations, transaction_hash, block_number, gas_used, gas_alone, gas_price_wei, reason,
       created_at, (extract(epoch FROM created_at) * 1000000)::bigint::text AS created_us, sent_at, mined_at, ended_at
     FROM gateway_batches
     WHERE ${withinScope('deployment', 4)} AND ($2::bigint IS NULL OR (created_at, batch_id) < ('epoch'::timestamptz + $2::bigint * interval '1 microsecond', $3))
     ORDER BY created_at DESC, batch_id DESC LIMIT $1`,
    [limit + 1, createdUs, batchId, ...scopeValues(scope)],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { batches: page.map(describeBatch), next: rows.length > limit && last !== undefined ? `${last.created_us}-${last.batch_id}` : null };
}

function describeBatch(row: BatchColumns): BatchRecord {
  const integer = (text: string | null): number | null => (text === null ? null : Number(text));
  const [used, alone] = [integer(row.gas_used), integer(row.gas_alone)];
  return {
    batch_id: row.batch_id,
    status: row.state,
    purpose: row.purpose,
    relayer: getAddress(toHex(row.relayer)),
    nonce: integer(row.nonce),
    operations: row.operations,
    transaction_hash: row.transaction_hash === null ? null : toHex(row.transaction_hash),
    // An abandoned batch has the block of the transaction that used its nonce.
    block_number: row.transaction_hash === null ? null : integer(row.block_number),
    gas_used: used,
    gas_alone: alone,
    gas_saved: used === null || alone === null ? null : alone - used,
    gas_price_wei: row.gas_price_wei,
    reason: row.reason,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    mined_at: row.mined_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

/** Parses a cursor: time in microseconds and id of the last batch. An invalid cursor starts at the newest batch. */
function parseCursor(cursor: string | null): [string, string] | [] {
  const match = /^(\d{1,17})-([\w-]{1,100})$/.exec(cursor ?? '');
  return match === null ? [] : [match[1] ?? '', match[2] ?? ''];
}
