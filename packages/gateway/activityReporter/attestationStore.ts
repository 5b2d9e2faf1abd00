import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import { fromHex, toHex } from '../requests/storedOperation.ts';

/** What the events of some blocks say of attestations. */
export interface SeenEvents {
  announced: { requestId: bigint; attestationIds: readonly Hex[] }[];
  chosen: { requestId: bigint; deadline: number }[];
  concluded: Hex[];
}

/** Holds what the keepers of a deployment decide one after the other, until the transaction ends. */
export async function lockReporter(transaction: Connection, deployment: string): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`gateway:keeper:${deployment}`]);
}

/** The last block whose events are stored; null before the first. */
export async function readScanned(connection: Connection, deployment: string): Promise<number | null> {
  const { rows } = await connection.query<{ block: string }>('select block from gateway_scans where deployment = $1', [deployment]);
  return rows[0] === undefined ? null : Number(rows[0].block);
}

/**
 * Stores what the events up to a block say. The same events may come again.
 * @param time chain time of the newest block, seconds since 1970
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

/** Nothing of the keeper is under way for `a`, and nothing landed behind the block $2, which may be older than what another key has seen. */
const isFree = `not exists (select from gateway_batches b where b.batch_id = a.batch_id
  and (b.state in ('prepared', 'sent', 'mined') or b.block_number > $2))`;

/** Requests for random words without an answer, oldest first. */
export async function readUnanswered(connection: Connection, deployment: string, headNumber: number, most: number): Promise<bigint[]> {
  const { rows } = await connection.query<{ request_id: string }>(
    `select request_id from gateway_attestations a where deployment = $1 and deadline is null group by request_id having bool_and(${isFree})
     order by min(seen_at), request_id limit $3`, [deployment, headNumber, most]);
  return rows.map(({ request_id: id }) => BigInt(id));
}

/** Attestations whose report window is over for `graceSeconds`, or that no nodes were chosen for yet; those over for longest first. */
export async function readUnconcluded(
  connection: Connection, deployment: string, head: { number: number; timestamp: number }, graceSeconds: number, most: number,
): Promise<{ attestationId: Hex; concluded: boolean }[]> {
  const { rows } = await connection.query<{ attestation_id: Buffer; concluded: boolean }>(
    `select attestation_id, exists (select from gateway_batches b where b.batch_id = a.batch_id and purpose = 'conclusion' and state = 'confirmed' and succeeded) as concluded
     from gateway_attestations a where deployment = $1 and (deadline is null or deadline < $3) and ${isFree}
     order by deadline nulls last, seen_at, attestation_id limit $4`,
    [deployment, head.number, head.timestamp - graceSeconds, most]);
  return rows.map(({ attestation_id: id, concluded }) => ({ attestationId: toHex(id), concluded }));
}

/** Notes that a batch asks for these. @returns false where another key has taken one of them */
export async function claimRequests(transaction: Connection, deployment: string, headNumber: number, requests: readonly bigint[], batchId: string): Promise<boolean> {
  const { rows } = await transaction.query<{ request_id: string }>(
    `update gateway_attestations a set batch_id = $4 where deployment = $1 and request_id = any($3::numeric[]) and ${isFree} returning request_id`,
    [deployment, headNumber, requests, batchId]);
  return new Set(rows.map(({ request_id: id }) => id)).size === requests.length;
}

/** Notes that a batch concludes these. @returns false where another key has taken one of them */
export async function claimAttestations(transaction: Connection, deployment: string, headNumber: number, ids: readonly Hex[], batchId: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `update gateway_attestations a set batch_id = $4 where deployment = $1 and attestation_id = any($3::bytea[]) and ${isFree}`,
    [deployment, headNumber, ids.map(fromHex), batchId]);
  return rowCount === ids.length;
}

/** Removes attestations that need nothing more, and those of which nothing was heard since `before`, seconds since 1970. */
export async function forgetAttestations(database: Transactor, deployment: string, ids: readonly Hex[], before: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockReporter(transaction, deployment);
    await transaction.query(
      'delete from gateway_attestations where deployment = $1 and (attestation_id = any($2::bytea[]) or seen_at < $3)', [deployment, ids.map(fromHex), before]);
  });
}
