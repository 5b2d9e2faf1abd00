import type { Connection } from '@vouch/platform/database/database';
import { Type, type Static } from 'typebox';
import { getAddress } from 'viem/utils';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import { everyDeployment, scopeValues, withinScope, type RowScope } from '../requests/rowScope.ts';
import { toHex } from '../requests/storedOperation.ts';

const optional = Type.Union([Type.String(), Type.Null()]);

const orderExample = {
  order_id: 'go_5e2d3f6a1c7b', batch_id: 'gb_2f0e8a524f3c9d0e', kind: 'speed_up', status: 'sent', max_fee_gwei: 6.2, transaction_hash: `0x${'5d'.repeat(32)}`,
  reason: null, created_at: '2026-03-02T09:25:00.000Z', answered_at: '2026-03-02T09:25:01.200Z',
};

const pendingExample = {
  batch_id: 'gb_2f0e8a524f3c9d0e', relayer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', nonce: 12, operations: 40, purpose: 'operations', age_seconds: 95,
  gas_limit: 900_000, cancels: false, order: orderExample,
  attempts: [{
    transaction_hash: `0x${'5d'.repeat(32)}`, max_fee_gwei: 3.1, priority_fee_gwei: 0.1, cancels: false, broadcasts: 3, refusal: null,
    created_at: '2026-03-02T09:23:25.000Z',
  }],
};

/** An order about a transaction and its result. */
export const OrderRecord = Type.Object({
  order_id: Type.String(),
  batch_id: Type.String(),
  kind: Type.String({ description: '`speed_up` or `cancel`.' }),
  status: Type.String({ description: '`waiting` for the process that writes the key; `refused`; `sent`: the replacement is pending; `landed`: the replacement is in a block; `too_late`: the original of a cancelled transaction is in a block.' }),
  max_fee_gwei: Type.Union([Type.Number(), Type.Null()]),
  transaction_hash: Type.Union([Type.String(), Type.Null()], { description: 'Hash of the replacement.' }),
  reason: optional,
  created_at: Type.String(),
  answered_at: optional,
}, { title: 'Order', examples: [orderExample] });
export type OrderRecord = Static<typeof OrderRecord>;

/** A transaction that is not mined yet. */
export const WaitingTransaction = Type.Object({
  batch_id: Type.String(),
  relayer: Type.String(),
  nonce: Type.Integer(),
  operations: Type.Integer(),
  purpose: Type.String({ description: '`operations`; `filler` for a transaction that only fills a nonce gap; `activity`, `randomness` and `conclusion` for maintenance transactions.' }),
  age_seconds: Type.Integer({ description: 'Seconds since the nonce was assigned.' }),
  gas_limit: Type.Integer(),
  cancels: Type.Boolean({ description: 'Whether the newest attempt is the empty transfer of a cancellation.' }),
  attempts: Type.Array(Type.Object({
    transaction_hash: Type.String(),
    max_fee_gwei: Type.Number(),
    priority_fee_gwei: Type.Number(),
    cancels: Type.Boolean(),
    broadcasts: Type.Integer({ description: 'How often the transaction was sent to an RPC endpoint.' }),
    refusal: Type.Union([Type.String(), Type.Null()], { description: 'Why RPC endpoints reject the transaction permanently.' }),
    created_at: Type.String(),
  }), { description: 'Oldest first. Each attempt may still be mined.' }),
  order: Type.Union([OrderRecord, Type.Null()], { description: 'The newest order for the transaction.' }),
}, { title: 'PendingTransaction', examples: [pendingExample] });
export type WaitingTransaction = Static<typeof WaitingTransaction>;

interface OrderColumns {
  order_id: string;
  batch_id: string;
  kind: string;
  state: 'waiting' | 'sent' | 'refused';
  max_fee_wei: string | null;
  transaction_hash: Buffer | null;
  reason: string | null;
  created_at: Date;
  answered_at: Date | null;
  batch_state: string;
  landed_cancels: boolean | null;
}

/** SQL columns of an order, with the state of its batch and whether the mined transaction is an empty transfer. */
const orderColumns = `o.order_id, o.batch_id, o.kind, o.state, o.max_fee_wei, o.transaction_hash, o.reason, o.created_at, o.answered_at,
  b.state as batch_state, (select a.cancels from gateway_attempts a where a.transaction_hash = b.transaction_hash) as landed_cancels`;

/**
 * Reads an order.
 * @throws Problem `unknown-transaction`
 */
export async function loadOrder(connection: Connection, orderId: string): Promise<OrderRecord> {
  const { rows: [row] } = await connection.query<OrderColumns>(
    `select ${orderColumns} from gateway_orders o join gateway_batches b using (batch_id) where o.order_id = $1`, [orderId]);
  if (row === undefined) throw gatewayErrors.problem('unknown-transaction', `No order has the id ${JSON.stringify(orderId.slice(0, 80))}.`);
  return describeOrder(row);
}

/**
 * Lists the pending transactions of every key, by nonce; `maxInFlight` limits their number per key.
 * @param now milliseconds since 1970
 */
export async function listWaiting(connection: Connection, now: number, scope: RowScope = everyDeployment): Promise<WaitingTransaction[]> {
  const { rows } = await connection.query<{ batch_id: string; relayer: Buffer; nonce: string; operations: number; purpose: string; gas_limit: string; prepared_at: Date }>(
    `select batch_id, relayer, nonce, operations, purpose, gas_limit, prepared_at from gateway_batches
     where state in ('prepared', 'sent') and ${withinScope('deployment', 1)} order by deployment, relayer, nonce`, scopeValues(scope));
  const ids = rows.map(({ batch_id: id }) => id);
  const attempts = await connection.query<{ batch_id: string; transaction_hash: Buffer; max_fee_wei: string; priority_fee_wei: string; cancels: boolean; broadcasts: number; refusal: string | null; created_at: Date }>(
    `select batch_id, transaction_hash, max_fee_wei, priority_fee_wei, cancels, broadcasts, refusal, created_at
     from gateway_attempts where batch_id = any($1::text[]) order by created_at, max_fee_wei`, [ids]);
  const orders = await connection.query<OrderColumns>(
    `select distinct on (o.batch_id) ${orderColumns} from gateway_orders o join gateway_batches b using (batch_id)
     where o.batch_id = any($1::text[]) order by o.batch_id, o.created_at desc`, [ids]);
  return rows.map((row) => {
    const own = attempts.rows.filter(({ batch_id: id }) => id === row.batch_id);
    const order = orders.rows.find(({ batch_id: id }) => id === row.batch_id);
    return {
      batch_id: row.batch_id, relayer: getAddress(toHex(row.relayer)), nonce: Number(row.nonce), operations: row.operations, purpose: row.purpose,
      age_seconds: Math.max(0, Math.round((now - row.prepared_at.getTime()) / 1_000)), gas_limit: Number(row.gas_limit), cancels: own.at(-1)?.cancels ?? false,
      attempts: own.map((attempt) => ({
        transaction_hash: toHex(attempt.transaction_hash), max_fee_gwei: gwei(attempt.max_fee_wei), priority_fee_gwei: gwei(attempt.priority_fee_wei),
        cancels: attempt.cancels, broadcasts: attempt.broadcasts, refusal: attempt.refusal, created_at: attempt.created_at.toISOString(),
      })),
      order: order === undefined ? null : describeOrder(order),
    };
  });
}

function describeOrder(row: OrderColumns): OrderRecord {
  const inBlock = row.batch_state === 'mined' || row.batch_state === 'confirmed';
  const landed = row.kind === 'cancel' && row.landed_cancels === false ? 'too_late' : 'landed';
  return {
    order_id: row.order_id, batch_id: row.batch_id, kind: row.kind, status: row.state === 'sent' && inBlock ? landed : row.state,
    max_fee_gwei: row.max_fee_wei === null ? null : gwei(row.max_fee_wei), transaction_hash: row.transaction_hash === null ? null : toHex(row.transaction_hash),
    reason: row.reason, created_at: row.created_at.toISOString(), answered_at: row.answered_at?.toISOString() ?? null,
  };
}

function gwei(wei: string): number {
  return Number(wei) / 1e9;
}
