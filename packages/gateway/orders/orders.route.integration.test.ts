import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import type { OrderRecord, WaitingTransaction } from './orderRecord.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const admin = { apikey: 'default:admin' };
let server: GatewayTestServer;
beforeAll(async () => { server = await GatewayTestServer.start({ operators: 1 }); });
afterAll(() => server.close());

const unknown = '/gateway/transactions/gb_none/cancel';

it('transactions and orders are for administrators, and what is unknown is said by its code', async () => {
  expect(await server.send<WaitingTransaction[]>('GET', '/gateway/transactions', undefined, admin)).toMatchObject({ status: 200, body: [] });
  expect((await server.send('GET', '/gateway/transactions')).status).toBe(401);
  expect((await server.send('POST', unknown, {})).status).toBe(401);
  expect(await server.send<OrderRecord>('POST', unknown, {}, admin)).toMatchObject({ status: 404, body: { code: 'unknown-transaction' } });
  expect(await server.send<OrderRecord>('POST', '/gateway/transactions/gb_none/speed_up', { max_fee_gwei: -1 }, admin)).toMatchObject({ status: 422 });
  expect(await server.send<OrderRecord>('GET', '/gateway/orders/go_none', undefined, admin)).toMatchObject({ status: 404, body: { code: 'unknown-transaction' } });
});

it('an order by HTTP is stored for the writer, and answered with what is known of it', async () => {
  await server.database.query(
    `insert into gateway_batches (batch_id, deployment, relayer, state, purpose, nonce, to_address, calldata, gas_limit, operations, created_at, prepared_at)
     values ('gb_one', 'elsewhere', '\\x${'12'.repeat(20)}', 'prepared', 'operations', 7, '\\x${'34'.repeat(20)}', '\\x', 21000, 0, now(), now())`);
  const { status, body } = await server.send<OrderRecord>('POST', '/gateway/transactions/gb_one/speed_up', { max_fee_gwei: 2.5 }, admin);
  expect([status, body]).toEqual([202, expect.objectContaining({ batch_id: 'gb_one', kind: 'speed_up', status: 'waiting', max_fee_gwei: 2.5, transaction_hash: null, reason: null })]);
  expect((await server.send<OrderRecord>('GET', `/gateway/orders/${body.order_id}`, undefined, admin)).body).toEqual(body);
  expect((await server.send<WaitingTransaction[]>('GET', '/gateway/transactions', undefined, admin)).body).toEqual([expect.objectContaining({ batch_id: 'gb_one', nonce: 7, order: body })]);
  expect(await server.send<OrderRecord>('POST', '/gateway/transactions/gb_one/cancel', {}, admin)).toMatchObject({ status: 409, body: { code: 'order-under-way' } });
});
