import type { Database } from '@vouch/platform/database/database';
import { typed } from '@vouch/platform/http/request';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { RowScope } from '../requests/rowScope.ts';
import { placeOrder, type OrderKind } from './orderStore.ts';
import { listWaiting, OrderRecord, loadOrder, WaitingTransaction } from './orderRecord.ts';

/** Maximum fee of an order in gwei; the cap of the settings is far below. */
const highestMaxFeeGwei = 1_000_000;

/** Adds the routes of pending transactions and orders, for the operator of the gateway. */
export function orderRoutes(server: FastifyInstance, database: Database, system: Pick<SystemInterfaces, 'clock' | 'random'>, rows: RowScope): void {
  const shared = { tags: ['gateway'] };
  const params = Type.Object({ batch_id: Type.String({ maxLength: 100, description: 'The id of the transaction in GET /gateway/transactions.' }) });
  const fee = Type.Object({
    max_fee_gwei: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: highestMaxFeeGwei, description: 'Maximum fee per unit of gas. Default: the lowest fee that nodes accept for a replacement.' })),
  }, { additionalProperties: false });
  typed(server).get('/gateway/transactions', {
    config: { scope: 'admin', operatorOnly: true },
    schema: { ...shared, operationId: 'listPendingTransactions', summary: 'Transactions that wait for a block', description: 'With nonce, age, fees and every attempt; sorted by key and nonce.', response: { 200: Type.Array(WaitingTransaction) } },
  }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return listWaiting(database, system.clock.now(), rows);
  });
  const orders: [OrderKind, string, string, string][] = [
    ['speed_up', 'speedUpTransaction', 'Replace a transaction by one with a higher fee', 'At least 12.5 % more, up to VOUCH_MAX_FEE_GWEI. The process that writes the key executes the order; GET /gateway/orders/{order_id} returns the outcome.'],
    ['cancel', 'cancelTransaction', 'Replace a transaction by an empty transfer', 'The messages return to the queue once the empty transfer is confirmed. Until then, the original may still be mined, and its messages take effect.'],
  ];
  for (const [kind, operationId, summary, description] of orders) {
    typed(server).post(`/gateway/transactions/:batch_id/${kind}`, {
      config: { scope: 'admin', operatorOnly: true, problems: ['unknown-transaction', 'transaction-not-waiting', 'order-under-way'] },
      schema: { ...shared, operationId, summary, description, params, body: fee, response: { 202: OrderRecord } },
    }, async (request, reply) => {
      const orderId = await placeOrder(database, { orderId: newOrderId(system), batchId: request.params.batch_id, kind, maxFeeWei: toWei(request.body.max_fee_gwei) }, new Date(system.clock.now()));
      reply.code(202).header('cache-control', 'no-store');
      return loadOrder(database, orderId);
    });
  }
  typed(server).get('/gateway/orders/:order_id', {
    config: { scope: 'admin', operatorOnly: true, problems: ['unknown-transaction'] },
    schema: { ...shared, operationId: 'getOrder', summary: 'Outcome of an order', params: Type.Object({ order_id: Type.String({ maxLength: 100, description: 'The id in the answer to the order.' }) }), response: { 200: OrderRecord } },
  }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    return loadOrder(database, request.params.order_id);
  });
}

/** Creates a random order id. */
export function newOrderId({ random }: Pick<SystemInterfaces, 'random'>): string {
  return `go_${random.bytes(12).toString('base64url')}`;
}

/**
 * Converts a fee to wei.
 * @param gwei per unit of gas; rounded to a thousandth of a gwei
 * @returns null if no fee is given
 */
export function toWei(gwei: number | undefined): bigint | null {
  return gwei === undefined ? null : BigInt(Math.round(gwei * 1_000)) * 1_000_000n;
}
