import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Database, Transactor } from '@vouch/platform/database/database';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import { fromHex } from '../requests/storedOperation.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

export type OrderKind = 'speed_up' | 'cancel';

/** An order that the key's writer has not answered. */
export interface WaitingOrder {
  orderId: string;
  batchId: string;
  kind: OrderKind;
  /** Maximum in wei per unit of gas; null for the lowest fees that can be mined. */
  maxFeeWei: bigint | null;
}

/**
 * Stores an order about a pending transaction. The same order placed again while the first one waits returns the first order's id.
 * @returns the order's id
 * @throws Problem `unknown-transaction`, `transaction-not-waiting`, `order-under-way`
 * @example
 * const order = { orderId: newOrderId({ random }), batchId, kind: 'speed_up', maxFeeWei: null } as const;
 * const orderId = await placeOrder(database, order, new Date());
 */
export async function placeOrder(database: Database, order: WaitingOrder, at: Date): Promise<string> {
  return database.transaction(async (transaction) => {
    const { rows: [batch] } = await transaction.query<{ state: string; nonce: string | null }>(
      'select state, nonce from gateway_batches where batch_id = $1 for share', [order.batchId]);
    if (batch === undefined) throw gatewayErrors.problem('unknown-transaction', `No transaction has the batch_id ${JSON.stringify(order.batchId.slice(0, 80))}.`);
    if (batch.state !== 'prepared' && batch.state !== 'sent') {
      throw gatewayErrors.problem('transaction-not-waiting', `The transaction ${order.batchId} is ${batch.state}: only a prepared or sent transaction can be replaced.`);
    }
    const { rows: [stored] } = await transaction.query<{ order_id: string }>(
      `insert into gateway_orders (order_id, batch_id, kind, max_fee_wei, created_at) values ($1, $2, $3, $4, $5)
       on conflict (batch_id) where state = 'waiting' do nothing returning order_id`,
      [order.orderId, order.batchId, order.kind, order.maxFeeWei, at]);
    if (stored !== undefined) return stored.order_id;
    const { rows: [waiting] } = await transaction.query<{ order_id: string; kind: OrderKind; max_fee_wei: string | null }>(
      `select order_id, kind, max_fee_wei from gateway_orders where batch_id = $1 and state = 'waiting'`, [order.batchId]);
    if (waiting?.kind === order.kind && waiting.max_fee_wei === (order.maxFeeWei?.toString() ?? null)) return waiting.order_id;
    throw gatewayErrors.problem('order-under-way', `The order ${waiting?.order_id ?? 'before'} (${waiting?.kind ?? 'answered just now'}) waits for the process that writes the key.`);
  });
}

/** Reads the unanswered orders about a key's transactions, oldest first; of the same millisecond, the lower nonce first. */
export async function listWaitingOrders(connection: Connection, lane: RelayerLane): Promise<WaitingOrder[]> {
  const { rows } = await connection.query<{ order_id: string; batch_id: string; kind: OrderKind; max_fee_wei: string | null }>(
    `select o.order_id, o.batch_id, o.kind, o.max_fee_wei from gateway_orders o join gateway_batches b using (batch_id)
     where o.state = 'waiting' and b.deployment = $1 and b.relayer = $2 order by o.created_at, b.nonce`, [lane.deployment, fromHex(lane.relayer)]);
  return rows.map((row) => ({ orderId: row.order_id, batchId: row.batch_id, kind: row.kind, maxFeeWei: row.max_fee_wei === null ? null : BigInt(row.max_fee_wei) }));
}

/**
 * Answers an order with its replacement.
 * @param transaction the database transaction that stores the replacement
 */
export async function answerSent(transaction: Connection, orderId: string, hash: Hex, at: Date): Promise<void> {
  await transaction.query(`update gateway_orders set state = 'sent', transaction_hash = $2, answered_at = $3 where order_id = $1 and state = 'waiting'`, [orderId, fromHex(hash), at]);
}

/** Answers an order with the reason of its refusal. */
export async function answerRefused(database: Transactor, orderId: string, reason: string, at: Date): Promise<void> {
  await database.transaction((transaction) => transaction.query(
    `update gateway_orders set state = 'refused', reason = $2, answered_at = $3 where order_id = $1 and state = 'waiting'`, [orderId, reason, at]));
}
