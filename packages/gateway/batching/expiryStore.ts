import type { Connection, Transactor } from '@vouch/platform/database/database';
import { endingRequests } from '../budgets/spendingStore.ts';
import type { SignedOperation } from '../calls/arrangeCalls.ts';
import type { Ending } from '../calls/findEnding.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';
import type { Hold, RequestRow } from '../requests/gatewayRequest.ts';
import { decodeOperation, decodeSignature, fromHex, toHex } from '../requests/storedOperation.ts';

/** A request past its deadline. */
export interface DueRequest {
  requestId: string;
  state: 'verified' | 'sent';
  deadline: Date;
  held: Hold | null;
  /** Null for a row that cannot be decoded, which no release writes. */
  signed: SignedOperation | null;
}

/** Maximum number of requests in one step; the next steps end the remaining ones. */
const dueAtOnce = 200;

type Columns = Pick<RequestRow, 'request_id' | 'kind' | 'operation' | 'digest' | 'signer' | 'signature' | 'deadline' | 'held_block' | 'held_hash' | 'held_code'> & { state: DueRequest['state'] };

/**
 * Lists requests past their deadline: queued requests by the head block's time; requests that this lane's key sent only by the time of a settled block,
 * because every later block is newer than it, and only if the nonce of their transaction is unused at the head: a transaction in an earlier block took
 * effect, although the endpoint may have no receipt of it yet. A final batch has no sent requests, except those that an earlier release left in a batch
 * without sending them. Requests that another key sent are left to that key's lane, which knows whether they took effect.
 * @param nonce the key's next nonce at the head
 */
export async function listDue(
  connection: Connection, { deployment, relayer }: RelayerLane, times: { head: Date; settled: Date | null }, nonce: number,
): Promise<DueRequest[]> {
  const { rows } = await connection.query<Columns>(
    `select request_id, kind, operation, digest, signer, signature, deadline, state, held_block, held_hash, held_code from gateway_requests
     where deployment = $1 and ((state = 'verified' and deadline < $2)
       or (state = 'sent' and deadline < $3 and batch_id in (select batch_id from gateway_batches where relayer = $4 and (nonce >= $5 or state = 'confirmed'))))
     order by deadline limit ${dueAtOnce}`,
    [deployment, times.head, times.settled, fromHex(relayer), nonce]);
  return rows.map((row) => ({
    requestId: row.request_id, state: row.state, deadline: row.deadline, signed: toSigned(row),
    held: row.held_block === null || row.held_hash === null ? null : { number: Number(row.held_block), hash: toHex(row.held_hash), code: row.held_code ?? '' },
  }));
}

function toSigned(row: Columns): SignedOperation | null {
  try {
    return {
      requestId: row.request_id, operation: decodeOperation(row), digest: toHex(row.digest), signer: toHex(row.signer), signature: decodeSignature(row.signature),
    };
  } catch {
    return null;
  }
}

/** Ends requests that are still in the state in which they were listed. */
export async function endDue(database: Transactor, endings: readonly (Ending & Pick<DueRequest, 'requestId'> & { from: DueRequest['state'] })[], at: Date): Promise<void> {
  if (endings.length === 0) return;
  await database.transaction((transaction) => transaction.query(
    endingRequests(`update gateway_requests r set state = given.state, reason_code = given.code, reason = given.reason, ended_at = $6
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as given (request_id, before, state, code, reason)
     where r.request_id = given.request_id and r.state = given.before`),
    [
      endings.map(({ requestId }) => requestId), endings.map(({ from }) => from), endings.map(({ state }) => state), endings.map(({ code }) => code),
      endings.map(({ reason }) => reason), at,
    ]));
}

/** Stores the block in whose state requests past their deadline would end, until that block is final. */
export async function holdDue(database: Transactor, requestIds: readonly string[], { number, hash, code }: Hold): Promise<void> {
  if (requestIds.length === 0) return;
  await database.transaction((transaction) => transaction.query(
    `update gateway_requests set held_block = $2, held_hash = $3, held_code = $4 where request_id = any($1::text[]) and state in ('verified', 'sent')`,
    [requestIds, number, fromHex(hash), code]));
}
