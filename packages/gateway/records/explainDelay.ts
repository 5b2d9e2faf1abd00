import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { isUnwritten, isWritten, listLanes, findServedElsewhere, type LaneRecord } from '../lanes/laneStore.ts';
import { endStates, type RequestRow } from '../requests/gatewayRequest.ts';
import { toHex } from '../requests/storedOperation.ts';

/**
 * Whether this gateway is configured for a deployment.
 * @param deployment name that scopes the rows
 */
export type ServesDeployment = (deployment: string) => boolean;

type DelayedRow = Pick<RequestRow, 'state' | 'deployment' | 'batch_id' | 'verified_at'> & Partial<Pick<RequestRow, 'held_block' | 'held_code'>>;

/**
 * Explains why a message is delayed: why no key sends the message, why nobody follows its transaction, or which block must become final.
 * @param now milliseconds since 1970
 * @param serves deployments of this gateway; their keys may be unavailable while keys of another deployment send
 * @returns null if nothing delays the message, or if its key may still be starting
 */
export async function explainDelay(
  connection: Connection, row: DelayedRow, now: number, serves: ServesDeployment = () => false,
): Promise<string | null> {
  if (endStates.includes(row.state)) return null;
  const lanes = await listLanes(connection, row.deployment);
  const served = serves(row.deployment) || lanes.some((lane) => isWritten(lane, now)) ? null : await findServedElsewhere(connection, row.deployment, now);
  if (served !== null) return describeLeft(row, served);
  const carrier = row.batch_id === null ? null : await findCarrier(connection, row.batch_id);
  // A message has the id of a batch while the batch is composed and signed. Without a signature, the message returns to the queue.
  if (carrier === null) return lanes.length === 0 ? describeUnseen(row.verified_at, now) : describeQueue(lanes, now) ?? describeHold(row);
  const lane = lanes.find(({ relayer }) => relayer === carrier.relayer);
  if (lane === undefined) return null;
  if (!isWritten(lane, now)) return `No gateway has followed the transaction of this message since ${lane.updatedAt.toISOString()}: no gateway runs with the relayer key ${lane.relayer}, which sent the transaction.`;
  // Other pauses stop new transactions only; the key still follows sent ones.
  if (isUnread(lane)) return unread;
  const isUsed = row.state === 'sent' && lane.chainNonce !== null && lane.chainNonce > carrier.nonce;
  return isUsed ? `The chain has used nonce ${carrier.nonce} of the relayer key ${lane.relayer}, but no endpoint returns the receipt of the transaction yet.` : null;
}

const unread = 'The chain cannot be read at the moment.';
const unsigned = 'The gateway cannot sign transactions at the moment. The message waits until the gateway can sign again.';

/**
 * Describes a message whose deployment is no longer served: contract or chain were changed in the settings, or the chain was
 * reset.
 */
function describeLeft({ deployment, batch_id: batchId }: Pick<RequestRow, 'deployment' | 'batch_id'>, served: string): string {
  const which = `The message was accepted for ${deployment}, but the gateway now serves ${served}`;
  return batchId === null
    ? `${which}: the gateway sends this message only if it serves the first deployment again. Sign a new message for the current deployment.`
    : `${which}: the gateway follows the transaction of this message only if it serves the first deployment again.`;
}

/**
 * Describes a message of a deployment that no key has served yet; null at first, because keys start within seconds of the
 * gateway.
 */
function describeUnseen(since: Date, now: number): string | null {
  if (!isUnwritten(since, now)) return null;
  return `The message was accepted at ${since.toISOString()} and has not been sent since: no gateway runs with a relayer key that can be opened, or the chain cannot be reached.`;
}

/** Describes why no key takes messages from the queue. */
function describeQueue(lanes: readonly LaneRecord[], now: number): string | null {
  const written = lanes.filter((lane) => isWritten(lane, now));
  const [first] = written;
  if (written.some(({ state }) => state === 'running')) return null;
  if (first === undefined) {
    const last = new Date(Math.max(...lanes.map(({ updatedAt }) => updatedAt.getTime())));
    return `No transaction has been sent since ${last.toISOString()}: no gateway runs with a relayer key, or the chain cannot be reached.`;
  }
  // Texts of endpoints and signing services are only for the gateway's operator.
  if (first.pauseCode === 'signer-unavailable') return unsigned;
  return isUnread(first) ? unread : first.reason;
}

/** Describes a message that has an ending in a block that a reorganization can still remove; null for other messages. */
function describeHold({ held_block: block = null, held_code: code = null }: DelayedRow): string | null {
  if (block === null) return null;
  return `In the state of block ${block}, ${describeEnding(code)}. The message ends when that block is final; if a reorganization removes the block, the gateway judges the message again.`;
}

function describeEnding(code: string | null): string {
  if (code === 'message-used') return 'the contract has executed this message in a transaction of another sender';
  if (code === 'unchanged') return 'the chain already has the value that this message sets';
  return `the contract would reject this message (${code ?? 'contract-refused'})`;
}

/** Whether a key cannot read the chain. Earlier releases stored pauses without a code, whose reason can also quote an endpoint. */
function isUnread({ state, pauseCode }: LaneRecord): boolean {
  return state === 'paused' && (pauseCode ?? 'chain') === 'chain';
}

async function findCarrier(connection: Connection, batchId: string): Promise<{ relayer: Hex; nonce: number } | null> {
  const { rows: [batch] } = await connection.query<{ relayer: Buffer; nonce: string }>('SELECT relayer, nonce FROM gateway_batches WHERE batch_id = $1', [batchId]);
  return batch === undefined ? null : { relayer: toHex(batch.relayer), nonce: Number(batch.nonce) };
}
