import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import { fromHex, toHex } from '../requests/storedOperation.ts';

/** Attestation events of a range of blocks. */
export interface SeenEvents {
  announced: { requestId: bigint; attestationIds: readonly Hex[] }[];
  chosen: { requestId: bigint; deadline: number }[];
  concluded: Hex[];
}

/** Takes a lock until the transaction ends, so that a deployment's activity reporters decide one at a time. */
export async function lockReporter(transaction: Connection, deployment: string): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`gateway:keeper:${deployment}`]);
}

/** The last block whose events are stored; null before the first scan. */
export async function findScannedBlock(connection: Connection, deployment: string): Promise<number | null> {
  const { rows } = await connection.query<{ block: string }>('select block from gateway_scans where deployment = $1', [deployment]);
  return rows[0] === undefined ? null : Number(rows[0].block);
}

/**
 * Stores the events up to a block; safe to repeat with the same events.
 * @param at last scanned block, and the head block's time in seconds since 1970
 */
export async function storeSeen(database: Transactor, deployment: string, { announced, chosen, concluded }: SeenEvents, at: { block: number; time: number }): Promise<void> {
  const seen = announced.flatMap(({ requestId, attestationIds }) => attestationIds.map((id) => ({ id, requestId })));
  await database.transaction(async (transaction) => {
    await lockReporter(transaction, deployment);
    await transaction.query(
      `insert into gateway_attestations (deployment, attestation_id, request_id, seen_at)
       select $1, id, request_id, $4 from unnest($2::bytea[], $3::numeric[]) as given (id, request_id) on conflict do nothing`,
      [deployment, seen.map(({ id }) => fromHex(id)), seen.map(({ requestId }) => requestId), at.time]);
    await transaction.query(
      `update gateway_attestations a set deadline = given.deadline from unnest($2::numeric[], $3::bigint[]) as given (request_id, deadline)
       where a.deployment = $1 and a.request_id = given.request_id`,
      [deployment, chosen.map(({ requestId }) => requestId), chosen.map(({ deadline }) => deadline)]);
    await transaction.query('delete from gateway_attestations where deployment = $1 and attestation_id = any($2::bytea[])', [deployment, concluded.map(fromHex)]);
    await transaction.query(
      `insert into gateway_scans (deployment, block) values ($1, $2) on conflict (deployment) do update set block = excluded.block`, [deployment, at.block]);
  });
}

/**
 * SQL condition: no batch of the activity reporter is pending for `a`, and none was mined above block $2. The head can be older
 * than the newest block that another key has read.
 */
const isFree = `not exists (select from gateway_batches b where b.batch_id = a.batch_id
  and (b.state in ('prepared', 'sent', 'mined') or b.block_number > $2))`;

/** Lists randomness requests without an answer, oldest first. */
export async function listUnanswered(connection: Connection, deployment: string, headNumber: number, most: number): Promise<bigint[]> {
  const { rows } = await connection.query<{ request_id: string }>(
    `select request_id from gateway_attestations a where deployment = $1 and deadline is null group by request_id having bool_and(${isFree})
     order by min(seen_at), request_id limit $3`, [deployment, headNumber, most]);
  return rows.map(({ request_id: id }) => BigInt(id));
}

/**
 * Lists attestations whose report window ended at least `graceSeconds` ago, or that have no chosen nodes yet; the earliest
 * deadline comes first.
 */
export async function listUnconcluded(
  connection: Connection, deployment: string, head: { number: number; timestamp: number }, graceSeconds: number, most: number,
): Promise<{ attestationId: Hex; concluded: boolean }[]> {
  const { rows } = await connection.query<{ attestation_id: Buffer; concluded: boolean }>(
    `select attestation_id, exists (select from gateway_batches b where b.batch_id = a.batch_id and purpose = 'conclusion' and state = 'confirmed' and succeeded) as concluded
     from gateway_attestations a where deployment = $1 and (deadline is null or deadline < $3) and ${isFree}
     order by deadline nulls last, seen_at, attestation_id limit $4`,
    [deployment, head.number, head.timestamp - graceSeconds, most]);
  return rows.map(({ attestation_id: id, concluded }) => ({ attestationId: toHex(id), concluded }));
}

/**
 * Records that a batch repeats these requests.
 * @returns false if another key already has one of the requests
 */
export async function claimRequests(transaction: Connection, deployment: string, headNumber: number, requests: readonly bigint[], batchId: string): Promise<boolean> {
  const { rows } = await transaction.query<{ request_id: string }>(
    `update gateway_attestations a set batch_id = $4 where deployment = $1 and request_id = any($3::numeric[]) and ${isFree} returning request_id`,
    [deployment, headNumber, requests, batchId]);
  return new Set(rows.map(({ request_id: id }) => id)).size === requests.length;
}

/**
 * Records that a batch concludes these attestations.
 * @returns false if another key already has one of the attestations
 */
export async function claimAttestations(transaction: Connection, deployment: string, headNumber: number, ids: readonly Hex[], batchId: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `update gateway_attestations a set batch_id = $4 where deployment = $1 and attestation_id = any($3::bytea[]) and ${isFree}`,
    [deployment, headNumber, ids.map(fromHex), batchId]);
  return rowCount === ids.length;
}

/** Deletes finished attestations, and attestations announced before `before`, in seconds since 1970. */
export async function forgetAttestations(database: Transactor, deployment: string, ids: readonly Hex[], before: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockReporter(transaction, deployment);
    await transaction.query(
      'delete from gateway_attestations where deployment = $1 and (attestation_id = any($2::bytea[]) or seen_at < $3)', [deployment, ids.map(fromHex), before]);
  });
}
