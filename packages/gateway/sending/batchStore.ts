import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import type { Payload } from '../calls/arrangeCalls.ts';
import type { ReporterKind } from '../budgets/reporterBudget.ts';
import { fromHex, toHex } from '../requests/storedOperation.ts';
import type { Fees } from '@vouch/chain/fees/fees';
import type { Attempt, LiveBatch } from './liveBatch.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

interface BatchColumns {
  batch_id: string;
  state: 'prepared' | 'sent' | 'mined';
  nonce: string;
  gas_limit: string;
  block_number: string | null;
  block_hash: Buffer | null;
  ended: boolean;
}

interface AttemptColumns {
  batch_id: string;
  transaction_hash: Buffer;
  raw: Buffer;
  max_fee_wei: string;
  priority_fee_wei: string;
  cancels: boolean;
  head_number: string;
  created_at: Date;
  broadcast_at: Date | null;
  broadcasts: number;
  refusal: string | null;
}

/** A transaction that was signed and is about to be stored. */
export interface SignedTransaction {
  hash: Hex;
  raw: Hex;
  fees: Fees;
  cancels: boolean;
  headNumber: number;
  at: Date;
}

/** Everything of a key that may still change, by nonce. Bounded by what a lane may have in flight and by the confirmations. */
export async function readLiveBatches(connection: Connection, lane: RelayerLane): Promise<LiveBatch[]> {
  const { rows } = await connection.query<BatchColumns>(
    `select batch_id, state, nonce, gas_limit, block_number, block_hash,
       purpose = 'operations' and state <> 'mined' and not exists (
         select from gateway_requests r where r.batch_id = b.batch_id and r.state in ('batched', 'sent')) as ended
     from gateway_batches b
     where deployment = $1 and relayer = $2 and state in ('prepared', 'sent', 'mined') order by nonce`,
    [lane.deployment, fromHex(lane.relayer)]);
  const attempts = await connection.query<AttemptColumns>(
    `select batch_id, transaction_hash, raw, max_fee_wei, priority_fee_wei, cancels, head_number, created_at, broadcast_at, broadcasts, refusal
     from gateway_attempts where batch_id = any($1::text[]) order by created_at, max_fee_wei`,
    [rows.map(({ batch_id: id }) => id)]);
  return rows.map((row) => toBatch(row, attempts.rows.filter((attempt) => attempt.batch_id === row.batch_id).map(toAttempt)));
}

function toBatch(row: BatchColumns, attempts: readonly Attempt[]): LiveBatch {
  const numbered = { batchId: row.batch_id, nonce: Number(row.nonce), gasLimit: BigInt(row.gas_limit), attempts };
  if (row.state !== 'mined') return { ...numbered, state: row.state, ended: row.ended };
  if (row.block_hash === null) throw new Error(`batch ${row.batch_id} is mined in no block`);
  return { ...numbered, state: 'mined', block: { number: Number(row.block_number), hash: toHex(row.block_hash) } };
}

function toAttempt(row: AttemptColumns): Attempt {
  return {
    hash: toHex(row.transaction_hash),
    raw: toHex(row.raw),
    fees: { maxFeeWei: BigInt(row.max_fee_wei), priorityFeeWei: BigInt(row.priority_fee_wei) },
    cancels: row.cancels,
    headNumber: Number(row.head_number),
    createdMs: row.created_at.getTime(),
    broadcastMs: row.broadcast_at?.getTime() ?? null,
    broadcasts: row.broadcasts,
    refusal: row.refusal,
  };
}

/** The newest block that a transaction of the key was seen in; null before the first. */
export async function readNewestBlock(connection: Connection, lane: RelayerLane): Promise<number | null> {
  const { rows } = await connection.query<{ newest: string | null }>(
    'select max(block_number) as newest from gateway_batches where deployment = $1 and relayer = $2 and block_number is not null',
    [lane.deployment, fromHex(lane.relayer)]);
  const newest = rows[0]?.newest ?? null;
  return newest === null ? null : Number(newest);
}

/** What a claimed batch needs to be sent. */
export interface Preparation {
  batchId: string;
  nonce: number;
  payload: Payload;
  gasLimit: bigint;
  /** In the order in which they stand in the transaction. */
  requestIds: readonly string[];
  gasAlone: number;
  transaction: SignedTransaction;
}

/**
 * Stores nonce, payload, members and signed bytes of a claimed batch in one transaction. From its commit on the batch may land.
 * @returns false where the claim is gone or another batch has the nonce; then nothing was stored
 */
export async function storePrepared(database: Transactor, preparation: Preparation): Promise<boolean> {
  const { batchId, nonce, payload, gasLimit, requestIds, gasAlone, transaction: signed } = preparation;
  return refusedNonceIsFalse(() => database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update gateway_batches set state = 'prepared', nonce = $2, to_address = $3, calldata = $4, gas_limit = $5, operations = $6,
         gas_alone = $7, prepared_at = $8
       where batch_id = $1 and state = 'claimed'`,
      [batchId, nonce, fromHex(payload.to), fromHex(payload.calldata), gasLimit, requestIds.length, gasAlone, signed.at]);
    if (rowCount !== 1) return false;
    await transaction.query(
      `insert into gateway_members (batch_id, position, request_id)
       select $1, position - 1, request_id from unnest($2::text[]) with ordinality as given (request_id, position)`,
      [batchId, requestIds]);
    await insertAttempt(transaction, batchId, nonce, signed);
    return true;
  }));
}

/** A transaction of our own, without operations of others. */
export interface MaintenanceBatch {
  batchId: string;
  /** `filler` uses up a nonce; the others are the keeper's. */
  purpose: 'filler' | ReporterKind;
  nonce: number;
  payload: Payload;
  gasLimit: bigint;
  transaction: SignedTransaction;
  /** Stores what belongs to it, in the same transaction. */
  also?(transaction: Connection): Promise<void>;
}

/** Stores a batch without operations. @returns false where another batch has the nonce; then nothing was stored */
export async function storeMaintenance(database: Transactor, lane: RelayerLane, own: MaintenanceBatch): Promise<boolean> {
  const { batchId, purpose, nonce, payload, gasLimit, transaction: signed, also } = own;
  return refusedNonceIsFalse(() => database.transaction(async (transaction) => {
    await transaction.query(
      `insert into gateway_batches (batch_id, deployment, relayer, state, purpose, nonce, to_address, calldata, gas_limit, operations, created_at,
         prepared_at)
       values ($1, $2, $3, 'prepared', $4, $5, $6, $7, $8, 0, $9, $9)`,
      [batchId, lane.deployment, fromHex(lane.relayer), purpose, nonce, fromHex(payload.to), fromHex(payload.calldata), gasLimit, signed.at]);
    await insertAttempt(transaction, batchId, nonce, signed);
    await also?.(transaction);
    return true;
  }));
}

/**
 * Stores a transaction that is to take the place of the batch's last one.
 * @param also stores what belongs to it, in the same transaction
 * @returns false where the batch no longer waits; then nothing was stored
 */
export async function storeReplacement(database: Transactor, batchId: string, signed: SignedTransaction, also?: (transaction: Connection) => Promise<void>): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ nonce: string }>(
      `select nonce from gateway_batches where batch_id = $1 and state in ('prepared', 'sent') for update`, [batchId]);
    const [row] = rows;
    if (row === undefined) return false;
    await insertAttempt(transaction, batchId, Number(row.nonce), signed);
    await also?.(transaction);
    return true;
  });
}

/**
 * The same bytes may come again: a batch was given up by mistake of an endpoint, and its operations got the same nonce and fees once more.
 * Signing is deterministic, so it is the very same transaction, which from then on belongs to the newer batch.
 */
async function insertAttempt(connection: Connection, batchId: string, nonce: number, signed: SignedTransaction): Promise<void> {
  await connection.query(
    `insert into gateway_attempts (transaction_hash, batch_id, nonce, raw, max_fee_wei, priority_fee_wei, cancels, head_number, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (transaction_hash) do update set batch_id = excluded.batch_id, raw = excluded.raw, head_number = excluded.head_number,
       created_at = excluded.created_at, broadcast_at = null, broadcasts = 0, refusal = null`,
    [
      fromHex(signed.hash), batchId, nonce, fromHex(signed.raw), signed.fees.maxFeeWei, signed.fees.priorityFeeWei, signed.cancels,
      signed.headNumber, signed.at,
    ]);
}

/** Notes that a transaction is given to a node now; called before it is, so that what was never noted was never given. */
export async function noteBroadcast(database: Transactor, batchId: string, hash: Hex, at: Date): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(
      'update gateway_attempts set broadcast_at = $2, broadcasts = broadcasts + 1 where transaction_hash = $1', [fromHex(hash), at]);
    const { rowCount } = await transaction.query(
      `update gateway_batches set state = 'sent', sent_at = $2 where batch_id = $1 and state = 'prepared'`, [batchId, at]);
    if (rowCount === 0) return;
    await transaction.query(
      `update gateway_requests set state = 'sent', sent_at = $2, simulated_at = coalesce(simulated_at, batched_at, $2)
       where batch_id = $1 and state = 'batched'`, [batchId, at]);
  });
}

/** What a node said to a transaction: null where it took it. */
export async function noteRefusal(database: Transactor, hash: Hex, refusal: string | null): Promise<void> {
  await database.transaction((transaction) => transaction.query(
    'update gateway_attempts set refusal = $2 where transaction_hash = $1 and refusal is distinct from $2', [fromHex(hash), refusal]));
}

/** The payload of a batch, for a replacement. */
export async function readPayload(connection: Connection, batchId: string): Promise<Payload> {
  const { rows } = await connection.query<{ to_address: Buffer; calldata: Buffer }>(
    'select to_address, calldata from gateway_batches where batch_id = $1 and nonce is not null', [batchId]);
  const [row] = rows;
  if (row === undefined) throw new Error(`batch ${batchId} has no payload`);
  return { to: toHex(row.to_address), calldata: toHex(row.calldata) };
}

/** Gives up a batch of which nothing can land: its operations go back to the queue. */
export async function abandonBatch(database: Transactor, batchId: string, reason: string, at: Date): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update gateway_batches set state = 'abandoned', reason = $2, ended_at = $3 where batch_id = $1 and state in ('prepared', 'sent')`,
      [batchId, reason, at]);
    if (rowCount === 0) return;
    await transaction.query(
      `update gateway_requests set state = 'verified', batch_id = null, batched_at = null, sent_at = null
       where batch_id = $1 and state in ('batched', 'sent')`, [batchId]);
  });
}

/** The unique index says that a nonce belongs to a batch; whoever comes second has stored nothing. */
async function refusedNonceIsFalse(store: () => Promise<boolean>): Promise<boolean> {
  try {
    return await store();
  } catch (error) {
    if ((error as { code?: string; constraint?: string }).constraint === 'gateway_batches_nonce') return false;
    throw error;
  }
}
