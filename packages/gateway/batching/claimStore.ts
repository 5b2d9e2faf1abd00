import type { Connection, Transactor } from '@vouch/platform/database/database';
import type { Hold, RequestRow } from '../requests/gatewayRequest.ts';
import { fromHex, decodeOperation, decodeSignature, toHex } from '../requests/storedOperation.ts';
import { endingRequests } from '../budgets/spendingStore.ts';
import type { Ending } from '../calls/findEnding.ts';
import type { SignedOperation } from '../calls/arrangeCalls.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';
import { standsIn } from '../sending/confirming/chainView.ts';
import { listHeld, type FollowedChain } from './holdStore.ts';

/** A request that can enter the next batch. */
export interface QueuedRequest extends SignedOperation {
  verifiedMs: number;
  deadlineMs: number;
  /** Time of the first simulation; null before it. */
  simulatedMs: number | null;
  /** Number of the newest block known at acceptance. */
  verifiedBlock: number;
  /** The block whose state last ended the message, not finally yet; null for none. */
  held: Hold | null;
  /** Whether the chain may already have the value of the message. */
  mayBeUnchanged: boolean;
}

type Columns = Pick<RequestRow, 'request_id' | 'kind' | 'operation' | 'digest' | 'signer' | 'signature' | 'verified_at' | 'verified_block' | 'deadline' | 'simulated_at' | 'held_block' | 'held_hash' | 'held_code'>;

/**
 * Claims requests for a new batch in order of acceptance. Each signer's requests stay in order, even with several relayers: a
 * request that changes the node waits until nothing of its signer is pending; a report waits only until no such request is pending,
 * because reports are independent of each other.
 * @param claim `choose` returns how many of the first `limit` requests to claim; 0 claims nothing
 * @returns the claimed requests; empty if none was claimed
 */
export async function claimRequests(
  database: Transactor,
  lane: RelayerLane,
  claim: { batchId: string; limit: number; at: Date; chain: FollowedChain; choose(queue: readonly QueuedRequest[]): number },
): Promise<QueuedRequest[]> {
  const { batchId, limit, at, chain, choose } = claim;
  return database.transaction(async (transaction) => {
    // The lock prevents two relayers from claiming two requests whose order matters.
    await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`gateway:claim:${lane.deployment}`]);
    const queue = await listQueued(transaction, lane, limit, chain);
    const taken = queue.slice(0, choose(queue));
    if (taken.length === 0) return [];
    await transaction.query(
      `insert into gateway_batches (batch_id, deployment, relayer, state, operations, created_at) values ($1, $2, $3, 'claimed', $4, $5)`,
      [batchId, lane.deployment, fromHex(lane.relayer), taken.length, at]);
    await transaction.query(
      `update gateway_requests set state = 'batched', batch_id = $1, batched_at = $2 where request_id = any($3::text[])`,
      [batchId, at, taken.map(({ requestId }) => requestId)]);
    return taken;
  });
}

/** SQL condition: a request of the signer of `r` is in a pending batch. */
const anyUnderWay = `exists (
  select from gateway_requests u where u.deployment = $1 and u.signer = r.signer and u.state in ('batched', 'sent'))`;

/**
 * SQL condition: a reorganization can still remove the block of a change that another relayer sent for the signer of `r`. If the next change were
 * mined too, the reorganization would lose both, and only transactions of one relayer keep their order in the new branch. The block decides, not the
 * state of the request: the requests of a relayer that is no longer configured stay `mined`.
 */
const anyReversible = `exists (
  select from gateway_requests u join gateway_batches of_change on of_change.batch_id = u.batch_id
  where u.deployment = $1 and u.signer = r.signer and u.state = 'mined' and u.kind <> 'report'
    and of_change.relayer <> $3 and of_change.block_number > $4)`;

/** SQL condition: the block of a change of the signer of `r` left the chain, and the relayer that sent the change has not noticed it yet. */
const anyLeft = `exists (
  select from gateway_requests u
  where u.deployment = $1 and u.signer = r.signer and u.state = 'mined' and u.kind <> 'report' and u.batch_id = any($6::text[]))`;

/**
 * SQL condition: an earlier commission of the signer of `r` has not ended. Two commissions can be open only if both set the same
 * value. The second is needed only if the first fails; until then the contract would refuse it as too soon.
 */
const anyCommissionBefore = `exists (
  select from gateway_requests earlier where earlier.deployment = $1 and earlier.signer = r.signer and earlier.kind = 'commission'
    and earlier.state in ('verified', 'batched', 'sent', 'mined') and earlier.sequence < r.sequence)`;

/**
 * SQL condition: an earlier message of the signer of `r` waits for a block to become final. If a reorganization removes that block, the earlier message
 * takes effect first. Reports depend on no other message.
 */
const anyHeldBefore = `r.kind <> 'report' and exists (
  select from gateway_requests earlier where earlier.request_id = any($5::text[]) and earlier.signer = r.signer and earlier.sequence < r.sequence)`;

/**
 * SQL condition: a request would have failed in simulation, and the transactions that were pending or composed then are not mined yet. The times of claims
 * are compared, because the request can depend on the batch with which it was simulated.
 */
const waits = (request: string): string => `(${request}.simulated_at is not null and exists (
  select from gateway_batches older
  where older.deployment = $1 and older.state in ('prepared', 'sent') and older.created_at <= ${request}.simulated_at))`;

/** SQL condition: an earlier message of the signer of `r` waits for pending transactions. Reports depend on no other message. */
const anyWaitingBefore = `r.kind <> 'report' and exists (
  select from gateway_requests earlier where earlier.deployment = $1 and earlier.signer = r.signer and earlier.state = 'verified'
    and earlier.sequence < r.sequence and ${waits('earlier')})`;

/**
 * Reads the first requests that the lane can claim now; without `chain`, every block counts as final. A request that failed in simulation while older
 * transactions were pending waits until those are mined, because the request may depend on them.
 */
export async function listQueued(
  connection: Connection, { deployment, relayer }: RelayerLane, limit: number, chain: FollowedChain | null = null,
): Promise<QueuedRequest[]> {
  const held = chain === null ? [] : await listHeld(connection, deployment, chain);
  const left = chain === null ? [] : await listLeftBatches(connection, { deployment, relayer }, chain);
  const { rows } = await connection.query<Columns>(
    `select request_id, kind, operation, digest, signer, signature, verified_at, verified_block, deadline, simulated_at,
       held_block, held_hash, held_code
     from gateway_requests r
     where deployment = $1 and state = 'verified' and not (request_id = any($5::text[])) and not (${anyHeldBefore}) and not ${anyLeft}
       and case when r.kind <> 'report' then not ${anyUnderWay} and not ${anyReversible} and (r.kind <> 'commission' or not ${anyCommissionBefore})
         else not exists (
             select from gateway_requests u
             where u.deployment = $1 and u.signer = r.signer and u.state in ('batched', 'sent') and u.kind <> 'report')
           and not (
             exists (
               select from gateway_requests earlier
               where earlier.deployment = $1 and earlier.signer = r.signer and earlier.state = 'verified'
                 and earlier.kind <> 'report' and earlier.sequence < r.sequence)
             and ${anyUnderWay}) end
       and not ${waits('r')} and not (${anyWaitingBefore})
     order by sequence limit $2`,
    [deployment, limit, fromHex(relayer), chain?.finalBlock ?? Number.MAX_SAFE_INTEGER, held, left]);
  // A row that cannot be decoded, which no release writes, is skipped until its deadline and does not block other rows.
  return rows.flatMap((row) => toQueued(row) ?? []);
}

/** Lists the batches of other relayers whose block is not in the followed chain. @returns batch ids */
async function listLeftBatches(connection: Connection, { deployment, relayer }: RelayerLane, { view, left = [] }: FollowedChain): Promise<string[]> {
  const { rows } = await connection.query<{ batch_id: string; block_number: string; block_hash: Buffer }>(
    `select batch_id, block_number, block_hash from gateway_batches where deployment = $1 and relayer <> $2 and state = 'mined'`, [deployment, fromHex(relayer)]);
  return rows
    .filter((row) => standsIn(view, { number: Number(row.block_number), hash: toHex(row.block_hash) }) === 'no' || left.includes(row.batch_id))
    .map(({ batch_id: batchId }) => batchId);
}

function toQueued(row: Columns): QueuedRequest | null {
  try {
    return {
      requestId: row.request_id,
      operation: decodeOperation(row),
      digest: toHex(row.digest),
      signer: toHex(row.signer),
      signature: decodeSignature(row.signature),
      verifiedMs: row.verified_at.getTime(),
      deadlineMs: row.deadline.getTime(),
      simulatedMs: row.simulated_at?.getTime() ?? null,
      verifiedBlock: Number(row.verified_block ?? 0),
      held: row.held_block === null || row.held_hash === null ? null : { number: Number(row.held_block), hash: toHex(row.held_hash), code: row.held_code ?? '' },
      mayBeUnchanged: row.held_code === 'unchanged',
    };
  } catch {
    return null;
  }
}

/** Returns claimed requests of a batch to the queue. */
export async function releaseRequests(database: Transactor, batchId: string, requestIds: readonly string[], simulatedAt: Date | null): Promise<void> {
  if (requestIds.length === 0) return;
  await database.transaction((transaction) => transaction.query(
    `update gateway_requests set state = 'verified', batch_id = null, batched_at = null, simulated_at = greatest(simulated_at, $3)
     where batch_id = $1 and state = 'batched' and request_id = any($2::text[])`,
    [batchId, requestIds, simulatedAt]));
}

/** Deletes a batch that has no nonce; its requests return to the queue. */
export async function dropClaim(database: Transactor, batchId: string): Promise<void> {
  await database.transaction((transaction) => transaction.query(
    `with dropped as (delete from gateway_batches where batch_id = $1 and state = 'claimed' returning batch_id)
     update gateway_requests set state = 'verified', batch_id = null, batched_at = null
     from dropped where gateway_requests.batch_id = dropped.batch_id and gateway_requests.state = 'batched'`,
    [batchId]));
}

/**
 * Drops claims that were never prepared: claims of this key, which an earlier process left, and claims of any key older than
 * `olderThan`, whose key may have been removed.
 */
export async function dropStaleClaims(database: Transactor, lane: RelayerLane, olderThan: Date): Promise<number> {
  const { rows } = await database.query<{ batch_id: string }>(
    `select batch_id from gateway_batches where deployment = $1 and state = 'claimed' and (relayer = $2 or created_at < $3)`,
    [lane.deployment, fromHex(lane.relayer), olderThan]);
  for (const { batch_id: batchId } of rows) await dropClaim(database, batchId);
  return rows.length;
}

/** Whether any key of the deployment has a pending transaction with operations. */
export async function areTransactionsUnderWay(connection: Connection, deployment: string): Promise<boolean> {
  const { rows } = await connection.query<{ some: boolean }>(
    `select exists (select from gateway_batches where deployment = $1 and state in ('prepared', 'sent') and purpose = 'operations') as some`, [deployment]);
  return rows[0]?.some === true;
}

/** Number of the newest block with a transaction of any key of the deployment; 0 before the first. */
export async function findNewestMined(connection: Connection, deployment: string): Promise<number> {
  const { rows } = await connection.query<{ newest: string | null }>(
    `select max(block_number) as newest from gateway_lines l
     cross join lateral (
       select block_number from gateway_batches b where b.deployment = l.deployment and b.relayer = l.relayer and block_number is not null
       order by block_number desc limit 1) newest_of_key
     where l.deployment = $1`, [deployment]);
  return Number(rows[0]?.newest ?? 0);
}

/** Number of the newest final block with a transaction of any key of the deployment; 0 before the first. */
export async function findNewestFinal(connection: Connection, deployment: string): Promise<number> {
  const { rows } = await connection.query<{ newest: string | null }>(
    `select max(block_number) as newest from gateway_lines l
     cross join lateral (
       select block_number from gateway_batches b
       where b.deployment = l.deployment and b.relayer = l.relayer and block_number is not null and state = 'confirmed'
       order by block_number desc limit 1) newest_of_key
     where l.deployment = $1`, [deployment]);
  return Number(rows[0]?.newest ?? 0);
}

/** Ends claimed requests of a batch that is not prepared yet. */
export async function endRequests(database: Transactor, batchId: string, endings: readonly Ending[], at: Date): Promise<void> {
  if (endings.length === 0) return;
  await database.transaction((transaction) => transaction.query(
    endingRequests(`update gateway_requests r
     set state = given.state, batch_id = null, reason_code = given.code, reason = given.reason, simulated_at = coalesce(simulated_at, $6), ended_at = $6
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as given (request_id, state, code, reason)
     where r.request_id = given.request_id and r.batch_id = $1 and r.state = 'batched'`),
    [
      batchId, endings.map(({ requestId }) => requestId), endings.map(({ state }) => state), endings.map(({ code }) => code),
      endings.map(({ reason }) => reason), at,
    ]));
}
