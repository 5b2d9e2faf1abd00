import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import type { Payload } from '../calls/arrangeCalls.ts';
import { endingRequests, releaseEnded } from '../budgets/spendingStore.ts';
import type { ReporterKind } from '../budgets/reporterBudget.ts';
import { fromHex, toHex } from '../requests/storedOperation.ts';
import type { Fees } from '@vouch/chain/fees/fees';
import type { Attempt, LiveBatch, NewestBlock } from './liveBatch.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';
import { isOvertaken } from '../requests/overtaken.ts';

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

/** A signed transaction to be stored. */
export interface SignedTransaction {
  hash: Hex;
  raw: Hex;
  fees: Fees;
  cancels: boolean;
  headNumber: number;
  at: Date;
}

/** Reads a key's batches that are not final, by nonce. Their number is limited by `maxInFlight` and the confirmations. */
export async function listLiveBatches(connection: Connection, lane: RelayerLane): Promise<LiveBatch[]> {
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

/** Number and time (seconds since 1970) of the newest block that contained a transaction of the key, also one of another program; null before the first one. */
export async function findNewestBlock(connection: Connection, lane: RelayerLane): Promise<NewestBlock | null> {
  const { rows: [newest] } = await connection.query<{ block_number: string; block_time: Date; final_number: string | null; final_hash: Buffer | null }>(
    `select newest.block_number, newest.block_time, final.block_number as final_number, final.block_hash as final_hash
     from (
       select block_number, block_time from gateway_batches
       where deployment = $1 and relayer = $2 and block_number is not null order by block_number desc limit 1) newest
     left join (
       select block_number, block_hash from gateway_batches
       where deployment = $1 and relayer = $2 and block_number is not null and state in ('confirmed', 'abandoned') order by block_number desc limit 1) final on true`,
    [lane.deployment, fromHex(lane.relayer)]);
  if (newest === undefined) return null;
  const { final_number: number, final_hash: hash } = newest;
  return {
    number: Number(newest.block_number), time: newest.block_time.getTime() / 1_000,
    final: number === null || hash === null ? null : { number: Number(number), hash: toHex(hash) },
  };
}

/** The data that turns a claimed batch into a prepared one. */
export interface Preparation {
  batchId: string;
  nonce: number;
  payload: Payload;
  gasLimit: bigint;
  /** In the order of the transaction's calls. */
  requestIds: readonly string[];
  gasAlone: number;
  transaction: SignedTransaction;
}

/**
 * Stores nonce, payload, members and signed bytes of a claimed batch in one commit. After the commit the batch can be mined.
 * @returns false if the claim no longer exists or another batch has the nonce; nothing was stored then
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

/** A transaction without operators' operations. */
export interface MaintenanceBatch {
  batchId: string;
  /** `filler` uses a nonce; the other purposes belong to the activity reporter. */
  purpose: 'filler' | ReporterKind;
  nonce: number;
  payload: Payload;
  gasLimit: bigint;
  transaction: SignedTransaction;
  /** Stores related rows in the same database transaction. */
  also?(transaction: Connection): Promise<void>;
}

/**
 * Stores a batch without operations.
 * @returns false if another batch has the nonce; nothing was stored then
 */
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
 * Stores a transaction that replaces the batch's previous one.
 * @param also stores related rows in the same database transaction
 * @returns false if the batch is no longer pending; nothing was stored then
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
 * Stores a signed transaction. The same bytes can be stored twice: an endpoint's error caused a batch to be abandoned, and its
 * operations got the same nonce and fees again. Signing is deterministic, so the transaction is identical and moves to the newer
 * batch.
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

/** Records a broadcast before it happens, so that a transaction without a recorded broadcast was never sent. */
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

/** Stores the node's reason for rejecting a transaction; null if the node accepted it. */
export async function noteRefusal(database: Transactor, hash: Hex, refusal: string | null): Promise<void> {
  await database.transaction((transaction) => transaction.query(
    'update gateway_attempts set refusal = $2 where transaction_hash = $1 and refusal is distinct from $2', [fromHex(hash), refusal]));
}

/**
 * Reads a batch's payload for a replacement.
 * @throws Error if the batch has no nonce yet
 */
export async function loadPayload(connection: Connection, batchId: string): Promise<Payload> {
  const { rows } = await connection.query<{ to_address: Buffer; calldata: Buffer }>(
    'select to_address, calldata from gateway_batches where batch_id = $1 and nonce is not null', [batchId]);
  const [row] = rows;
  if (row === undefined) throw new Error(`batch ${batchId} has no payload`);
  return { to: toHex(row.to_address), calldata: toHex(row.calldata) };
}

const overtakenReason = 'Another program used the nonce of the message with the key of the relayer, and a later message of the signer took its place in the order. Sign a new message if the change is still needed.';

/**
 * Abandons a batch that cannot be mined any more. Its operations return to the queue, except changes that a later change of the signer has overtaken: sent
 * again, they would replace the newer value by the older one. The block counts as a final one of the key (`findNewestBlock`), so an
 * endpoint that is behind this block, or on a branch without it, does not decide the next nonce.
 * @param because the final block at whose end another transaction had used the nonce, and its time
 */
export async function abandonBatch(
  database: Transactor, batchId: string, because: { reason: string; block: { number: number; hash: Hex }; time: Date; at: Date },
): Promise<void> {
  const { reason, block, time, at } = because;
  await database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update gateway_batches set state = 'abandoned', reason = $2, ended_at = $3, block_number = $4, block_hash = $5, block_time = $6
       where batch_id = $1 and state in ('prepared', 'sent')`,
      [batchId, reason, at, block.number, fromHex(block.hash), time]);
    if (rowCount === 0) return;
    await releaseEnded(transaction, batchId);
    await transaction.query(
      endingRequests(`update gateway_requests r set state = 'failed', reason_code = 'overtaken', reason = $2, ended_at = $3
       where r.batch_id = $1 and r.state in ('batched', 'sent') and ${isOvertaken}`), [batchId, overtakenReason, at]);
    await transaction.query(
      `update gateway_requests set state = 'verified', batch_id = null, batched_at = null, sent_at = null
       where batch_id = $1 and state in ('batched', 'sent')`, [batchId]);
  });
}

/** Returns false instead of an error if another batch has the nonce; the unique index then rolled everything back. */
async function refusedNonceIsFalse(store: () => Promise<boolean>): Promise<boolean> {
  try {
    return await store();
  } catch (error) {
    if ((error as { code?: string; constraint?: string }).constraint === 'gateway_batches_nonce') return false;
    throw error;
  }
}
