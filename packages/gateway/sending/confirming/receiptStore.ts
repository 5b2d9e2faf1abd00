import type { Receipt } from '@vouch/chain/rpc/chainReads';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import type { SignedOperation } from '../../calls/arrangeCalls.ts';
import { isOvertaken } from '../../requests/overtaken.ts';
import { chargeBatch, endingRequests, releaseEnded, returnRefused } from '../../budgets/spendingStore.ts';
import type { RequestRow } from '../../requests/gatewayRequest.ts';
import { fromHex, decodeOperation, decodeSignature, toHex } from '../../requests/storedOperation.ts';
import type { Ending } from '../../calls/findEnding.ts';
import type { Outcome } from '../../calls/decodeOutcomes.ts';

type MemberColumns = Pick<RequestRow, 'request_id' | 'kind' | 'operation' | 'digest' | 'signer' | 'signature'>;

/** Reads a prepared batch's operations in the order of the transaction. */
export async function listMembers(connection: Connection, batchId: string): Promise<SignedOperation[]> {
  const { rows } = await connection.query<MemberColumns>(
    `select r.request_id, r.kind, r.operation, r.digest, r.signer, r.signature
     from gateway_members m join gateway_requests r using (request_id) where m.batch_id = $1 order by m.position`, [batchId]);
  return rows.map(toSigned);
}

function toSigned(row: MemberColumns): SignedOperation {
  return {
    requestId: row.request_id, operation: decodeOperation(row), digest: toHex(row.digest), signer: toHex(row.signer),
    signature: decodeSignature(row.signature),
  };
}

/** A receipt with the outcomes of the batch's operations, in their order. */
export interface MinedFacts {
  receipt: Receipt;
  blockTime: Date;
  outcomes: readonly Outcome[];
  gasShares: readonly bigint[];
  /** Gas of the applied operations if each signer had sent its own transaction. */
  gasAlone: number;
  at: Date;
}

/** Stores receipt, outcomes and cost of a mined batch; repeatable with another block after a reorg. */
export async function storeMined(database: Transactor, batchId: string, facts: MinedFacts): Promise<void> {
  const { receipt, blockTime, outcomes, gasShares, gasAlone, at } = facts;
  await database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update gateway_batches set state = 'mined', transaction_hash = $2, block_number = $3, block_hash = $4, block_time = $5, succeeded = $6,
         gas_used = $7, gas_price_wei = $8, mined_at = $9, sent_at = coalesce(sent_at, $9), gas_alone = $10
       where batch_id = $1 and state in ('prepared', 'sent', 'mined')`,
      [
        batchId, fromHex(receipt.transactionHash), receipt.blockNumber, fromHex(receipt.blockHash), blockTime, receipt.succeeded, receipt.gasUsed,
        receipt.effectiveGasPrice, at, gasAlone,
      ]);
    if (rowCount === 0) return;
    await transaction.query(
      `update gateway_members m
       set outcome = given.outcome, reason = given.reason, gas_used = given.gas_used, cost_wei = given.gas_used * $5::numeric
       from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as given (outcome, reason, gas_used, position)
       where m.batch_id = $1 and m.position = given.position - 1`,
      [
        batchId, outcomes.map(({ applied }) => (applied ? 'applied' : 'refused')), outcomes.map((outcome) => (outcome.applied ? null : outcome.said)),
        gasShares, receipt.effectiveGasPrice,
      ]);
    await transaction.query(
      `update gateway_requests r
       set state = 'mined', mined_at = $2, gas_used = m.gas_used, cost_wei = m.cost_wei
       from gateway_members m
       where m.batch_id = $1 and r.request_id = m.request_id and r.batch_id = $1 and r.state in ('batched', 'sent', 'mined')`,
      [batchId, at]);
  });
}

/** Resets a batch to `sent` after its block left the chain. */
export async function storeReturned(database: Transactor, batchId: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update gateway_batches set state = 'sent', transaction_hash = null, block_number = null, block_hash = null, block_time = null,
         succeeded = null, gas_used = null, gas_price_wei = null, mined_at = null
       where batch_id = $1 and state = 'mined'`, [batchId]);
    if (rowCount === 0) return;
    await transaction.query('update gateway_members set outcome = null, reason = null, gas_used = null, cost_wei = null where batch_id = $1', [batchId]);
    await transaction.query(
      `update gateway_requests set state = 'sent', mined_at = null, gas_used = null, cost_wei = null where batch_id = $1 and state = 'mined'`, [batchId]);
  });
}

/** An operation that its batch's transaction refused. */
export interface RefusedMember {
  signed: SignedOperation;
  said: string | null;
  /** Number of transactions that refused the operation, including this one; empty transfers do not count. */
  refusals: number;
  /** Whether a later change of the same signer was sent, so that the operation would take effect after this change if it was sent again. */
  overtaken: boolean;
}

/** Reads a mined batch's operations that did not take effect. */
export async function listRefused(connection: Connection, batchId: string): Promise<RefusedMember[]> {
  const { rows } = await connection.query<MemberColumns & { said: string | null; refusals: number; overtaken: boolean }>(
    `select r.request_id, r.kind, r.operation, r.digest, r.signer, r.signature, m.reason as said,
       (select count(*)::int from gateway_members past join gateway_batches b using (batch_id)
        where past.request_id = m.request_id and past.outcome = 'refused'
          and not exists (select from gateway_attempts a where a.transaction_hash = b.transaction_hash and a.cancels)) as refusals,
       ${isOvertaken} as overtaken
     from gateway_members m join gateway_requests r on r.request_id = m.request_id
     where m.batch_id = $1 and m.outcome = 'refused' order by m.position`, [batchId]);
  return rows.map((row) => ({ signed: toSigned(row), said: row.said, refusals: row.refusals, overtaken: row.overtaken }));
}

/**
 * Stores that a batch is final: applied operations are confirmed, `endings` are stored, and other refused operations return to the
 * queue, where the next simulation may find the reason.
 */
export async function storeConfirmed(database: Transactor, batchId: string, endings: readonly Ending[], at: Date): Promise<void> {
  await database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      `update gateway_batches set state = 'confirmed', ended_at = $2, calldata = null where batch_id = $1 and state = 'mined'`, [batchId, at]);
    if (rowCount === 0) return;
    // Charging runs first, because it locks all members' budget counters in a fixed order; the statements below lock some
    // of them again.
    await chargeBatch(transaction, batchId);
    await releaseEnded(transaction, batchId);
    // Deletes the calldata of a final batch (80 KB, stored twice): it is never sent again, and the chain keeps it.
    await transaction.query(`update gateway_attempts set raw = '' where batch_id = $1`, [batchId]);
    await transaction.query(
      endingRequests(`update gateway_requests r set state = 'confirmed', ended_at = $2
       from gateway_members m
       where m.batch_id = $1 and m.request_id = r.request_id and m.outcome = 'applied' and r.batch_id = $1 and r.state = 'mined'`), [batchId, at]);
    if (endings.length > 0) await storeEndings(transaction, batchId, endings, at);
    await returnRefused(transaction, batchId);
  });
}

async function storeEndings(transaction: Connection, batchId: string, endings: readonly Ending[], at: Date): Promise<void> {
  await transaction.query(
    endingRequests(`update gateway_requests r set state = given.state, reason_code = given.code, reason = given.reason, ended_at = $6
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as given (request_id, state, code, reason)
     where r.request_id = given.request_id and r.batch_id = $1 and r.state = 'mined'`),
    [
      batchId, endings.map(({ requestId }) => requestId), endings.map(({ state }) => state), endings.map(({ code }) => code),
      endings.map(({ reason }) => reason), at,
    ]);
}
