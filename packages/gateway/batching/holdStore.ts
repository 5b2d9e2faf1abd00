import type { Connection, Transactor } from '@vouch/platform/database/database';
import { standsIn, type ChainView } from '../sending/confirming/chainView.ts';
import { fromHex, toHex } from '../requests/storedOperation.ts';
import type { Hold } from '../requests/gatewayRequest.ts';

/** The chain as a lane follows it. */
export interface FollowedChain {
  view: ChainView;
  /** Number of the newest block that a reorganization no longer removes. */
  finalBlock: number;
  /** Batches of other relayers whose block is older than the view and not in the chain; see `findLeftBatches`. */
  left?: readonly string[];
}

/**
 * Lists the queued messages that wait for a block to become final. A message whose block left the chain is not among them: it is judged again at once.
 * @returns request ids
 */
export async function listHeld(connection: Connection, deployment: string, { view, finalBlock }: FollowedChain): Promise<string[]> {
  const { rows } = await connection.query<{ request_id: string; held_block: string; held_hash: Buffer }>(
    `select request_id, held_block, held_hash from gateway_requests
     where deployment = $1 and state = 'verified' and held_block is not null and held_block > $2`, [deployment, finalBlock]);
  return rows
    .filter((row) => standsIn(view, { number: Number(row.held_block), hash: toHex(row.held_hash) }) !== 'no')
    .map(({ request_id: id }) => id);
}

/** Returns claimed requests of a batch to the queue, where they wait until the block is final. */
export async function holdRequests(
  database: Transactor, batchId: string, held: readonly { requestId: string; code: string }[], { number, hash }: Omit<Hold, 'code'>,
): Promise<void> {
  if (held.length === 0) return;
  await database.transaction((transaction) => transaction.query(
    `update gateway_requests r
     set state = 'verified', batch_id = null, batched_at = null, held_block = $4, held_hash = $5, held_code = given.code
     from unnest($2::text[], $3::text[]) as given (request_id, code)
     where r.request_id = given.request_id and r.batch_id = $1 and r.state = 'batched'`,
    [batchId, held.map(({ requestId }) => requestId), held.map(({ code }) => code), number, fromHex(hash)]));
}

/** Forgets what earlier blocks said about requests that are about to be sent. */
export async function dropHolds(database: Transactor, requestIds: readonly string[]): Promise<void> {
  if (requestIds.length === 0) return;
  await database.transaction((transaction) => transaction.query(
    'update gateway_requests set held_block = null, held_hash = null, held_code = null where request_id = any($1::text[])', [requestIds]));
}
