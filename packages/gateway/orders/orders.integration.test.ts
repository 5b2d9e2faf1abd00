import type { Hex } from '@vouch/chain/messages/operation';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, describe, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { parseTransaction } from 'viem';
import { emptyTransferGas } from '../sending/actOnDecision.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';
import { listWaiting, loadOrder, type OrderRecord, type WaitingTransaction } from './orderRecord.ts';
import { placeOrder, type OrderKind } from './orderStore.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

// The writer of a key executes each order about a pending transaction once, and no message is lost or executed twice.

const gwei = 10n ** 9n;
const settings = { batch_window_ms: 0 };
let gateway: TestGateway;
afterEach(() => gateway.close());
let ordered = 0;

async function enter(): Promise<string> {
  return gateway.submit(gateway.chain.operators[0]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt: await gateway.expiry() });
}

/** Submits a message and waits until its transaction is broadcast. */
async function sent(): Promise<{ id: string; waiting: WaitingTransaction }> {
  const id = await enter();
  await gateway.reached(id, 'sent');
  return { id, waiting: (await listWaiting(gateway.database, Date.now()))[0]! };
}

const place = (batchId: string, kind: OrderKind, maxFeeWei: bigint | null = null, at = new Date()): Promise<string> =>
  placeOrder(gateway.database, { orderId: `go_${++ordered}`, batchId, kind, maxFeeWei }, at);

async function answered(orderId: string): Promise<OrderRecord> {
  for (;;) {
    const order = await loadOrder(gateway.database, orderId);
    if (order.status !== 'waiting') return order;
    await systemInterfaces.timers.sleep(30);
  }
}

/** Waits until the newest attempt is broadcast; an order is already answered when its bytes are stored. */
async function broadcast(batchId: string): Promise<void> {
  await expect.poll(async () => (await listWaiting(gateway.database, Date.now())).find(({ batch_id: id }) => id === batchId)?.attempts.at(-1)?.broadcasts).toBeGreaterThan(0);
}

const attempts = async (): Promise<{ nonce: string; max: string; tip: string; cancels: boolean; raw: Buffer }[]> =>
  (await gateway.database.query<{ nonce: string; max: string; tip: string; cancels: boolean; raw: Buffer }>(
    'select nonce, max_fee_wei as max, priority_fee_wei as tip, cancels, raw from gateway_attempts order by created_at, max_fee_wei')).rows;

describe('an order to speed up', () => {
  test('replaces the transaction at its nonce with fees that nodes take, and the message lands once', async () => {
    gateway = await openTestGateway({ automine: false, operators: 1 });
    gateway.start({ settings });
    const { id, waiting } = await sent();
    expect(waiting).toMatchObject({ operations: 1, purpose: 'operations', cancels: false, order: null, attempts: [{ broadcasts: 1, refusal: null }] });
    const order = await answered(await place(waiting.batch_id, 'speed_up'));
    const [first, second, ...more] = await attempts();
    expect([order.status, order.transaction_hash, more]).toEqual(['sent', (await listWaiting(gateway.database, Date.now()))[0]?.attempts.at(-1)?.transaction_hash, []]);
    expect(second?.nonce).toBe(first?.nonce);
    for (const fee of ['max', 'tip'] as const) expect(BigInt(second![fee]) * 1000n).toBeGreaterThanOrEqual(BigInt(first![fee]) * 1125n);
    await broadcast(waiting.batch_id);
    await gateway.mineUntil([id], ['confirmed'], 6);
    expect(await loadOrder(gateway.database, order.order_id)).toMatchObject({ status: 'landed' });
    await expect(place(waiting.batch_id, 'speed_up')).rejects.toMatchObject({ code: 'transaction-not-waiting' });
  });

  test('offers what the operator names, and is refused with a sentence where nodes or the limit do not allow it', async () => {
    gateway = await openTestGateway({ automine: false, operators: 1 });
    gateway.start({ settings });
    const { waiting } = await sent();
    expect(await answered(await place(waiting.batch_id, 'speed_up', 1n))).toMatchObject({ status: 'refused', transaction_hash: null, reason: expect.stringContaining('12.5 % more') as string });
    expect(await answered(await place(waiting.batch_id, 'speed_up', 101n * gwei))).toMatchObject({ status: 'refused', reason: expect.stringContaining('VOUCH_MAX_FEE_GWEI') as string });
    expect((await attempts()).length).toBe(1);
    expect(await answered(await place(waiting.batch_id, 'speed_up', 50n * gwei))).toMatchObject({ status: 'sent', max_fee_gwei: 50 });
    expect((await attempts()).at(-1)).toMatchObject({ max: String(50n * gwei), cancels: false });
  });

  test('given while nobody writes the key waits, is one order however often it is sent, and is carried out once by one of two processes', async () => {
    gateway = await openTestGateway({ automine: false, operators: 1 });
    const first = gateway.start({ settings });
    const { id, waiting } = await sent();
    await first.close();
    const order = await place(waiting.batch_id, 'speed_up', 20n * gwei);
    expect([await place(waiting.batch_id, 'speed_up', 20n * gwei), (await loadOrder(gateway.database, order)).status]).toEqual([order, 'waiting']);
    await expect(place(waiting.batch_id, 'cancel')).rejects.toMatchObject({ code: 'order-under-way' });
    gateway.start({ settings });
    gateway.start({ settings });
    expect(await answered(order)).toMatchObject({ status: 'sent' });
    await gateway.mineUntil([id], ['confirmed'], 8);
    expect((await attempts()).filter(({ max }) => max === String(20n * gwei)).length).toBe(1);
  });
});

test('two orders at once may not spend the same balance: the one of the later nonce is refused where what the other now costs leaves too little', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  const first = gateway.start({ settings: { ...settings, batch_max_operations: 1 } });
  const expiredAt = await gateway.expiry();
  for (const account of gateway.chain.operators) {
    await gateway.reached(await gateway.submit(account, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt }), 'sent');
  }
  await first.close();
  const waiting = await listWaiting(gateway.database, Date.now());
  const [one, other] = waiting as [WaitingTransaction, WaitingTransaction];
  const wantedWei = 90n * gwei;
  // Covers the current cost of both transactions and the ordered price of only one.
  const costs = waiting.map(({ gas_limit: gas, attempts: [attempt] }) => BigInt(gas) * BigInt(Math.ceil(attempt!.max_fee_gwei * 1e9)));
  const balance = costs[0]! + costs[1]! + BigInt(Math.max(one.gas_limit, other.gas_limit)) * wantedWei;
  await gateway.chain.rpc.request('anvil_setBalance', [one.relayer, `0x${balance.toString(16)}`]);
  await gateway.chain.rpc.request('anvil_dropAllTransactions', []);
  await gateway.mine();
  const at = new Date();
  const later = await place(other.batch_id, 'speed_up', wantedWei, at);
  const orders = [await place(one.batch_id, 'speed_up', wantedWei, at), later];
  gateway.start({ settings });
  const statuses = await Promise.all(orders.map(answered));
  expect(statuses).toMatchObject([{ status: 'sent', reason: null }, { status: 'refused', reason: expect.stringMatching(/send ether to 0x[0-9a-f]{40} first/) as string }]);
});

describe('an order to cancel', () => {
  exhaustiveTest('puts an empty transfer at the nonce; its messages return to the queue once that is confirmed, and land with the next nonce', async () => {
    gateway = await openTestGateway({ automine: false, operators: 1 });
    gateway.start({ settings: { ...settings, confirmations: 3 } });
    const { id, waiting } = await sent();
    const order = await answered(await place(waiting.batch_id, 'cancel'));
    expect(order.status).toBe('sent');
    expect((await listWaiting(gateway.database, Date.now()))[0]).toMatchObject({ nonce: waiting.nonce, cancels: true, order: { kind: 'cancel', status: 'sent' } });
    await broadcast(waiting.batch_id);
    await gateway.mineUntil([id], ['mined'], 3);
    // The block is not deep enough: the original can still be mined after a reorg, so the message keeps its nonce.
    expect(await gateway.row(id)).toMatchObject({ state: 'mined', batch_id: waiting.batch_id });
    expect(await loadOrder(gateway.database, order.order_id)).toMatchObject({ status: 'landed' });
    await gateway.mineUntil([id], ['confirmed'], 14);
    const { rows } = await gateway.database.query<{ nonce: string; state: string }>('select nonce, state from gateway_batches order by nonce');
    expect(rows).toEqual([{ nonce: String(waiting.nonce), state: 'confirmed' }, { nonce: String(waiting.nonce + 1), state: 'confirmed' }]);
  });

  test('that comes too late says so: the original lands, and the message takes effect once', async () => {
    gateway = await openTestGateway({ automine: false, operators: 1 });
    let own = '';
    // The RPC client drops the empty transfer.
    const rpc = interceptRpc(gateway.chain.rpc, ({ method, params }, pass) =>
      (method === 'eth_sendRawTransaction' && own !== '' && params[0] !== own ? Promise.resolve(`0x${'00'.repeat(32)}`) : pass()));
    gateway.start({ settings, rpc });
    const { id, waiting } = await sent();
    own = `0x${(await attempts())[0]!.raw.toString('hex')}`;
    const order = await answered(await place(waiting.batch_id, 'cancel'));
    await gateway.mineUntil([id], ['confirmed'], 6);
    expect(await loadOrder(gateway.database, order.order_id)).toMatchObject({ status: 'too_late' });
    const { rows } = await gateway.database.query('select 1 from gateway_batches');
    expect(rows.length).toBe(1);
  });

  exhaustiveTest('whose empty transfer leaves the chain in a reorganization that brings the original back: the message takes effect once', async () => {
    gateway = await openTestGateway({ automine: false, operators: 1 });
    // A chain loaded from a state file cannot be reorganized below its first block.
    await gateway.chain.mine(5);
    gateway.start({ settings: { ...settings, confirmations: 5 } });
    const { id, waiting } = await sent();
    const [original] = await attempts();
    const order = await answered(await place(waiting.batch_id, 'cancel'));
    await gateway.mineUntil([id], ['mined'], 3);
    await gateway.mine();
    await gateway.followed();
    await gateway.chain.rpc.request('anvil_reorg', [3, [[`0x${original!.raw.toString('hex')}`, 0]]]);
    await gateway.mineUntil([id], ['confirmed'], 14);
    expect(await loadOrder(gateway.database, order.order_id)).toMatchObject({ status: 'too_late' });
    const { rows } = await gateway.database.query<{ nonce: string }>('select nonce from gateway_batches');
    expect(rows).toEqual([{ nonce: String(waiting.nonce) }]);
  });

  exhaustiveTest('again and again never counts against the message', async () => {
    gateway = await openTestGateway({ automine: false, operators: 1 });
    let held = true;
    // The RPC client drops every transaction except empty transfers.
    const rpc = interceptRpc(gateway.chain.rpc, ({ method, params }, pass) =>
      (method === 'eth_sendRawTransaction' && held && parseTransaction(params[0] as Hex).gas !== emptyTransferGas ? Promise.resolve(`0x${'00'.repeat(32)}`) : pass()));
    gateway.start({ settings, rpc });
    const id = await enter();
    for (let round = 0; round < 4; round += 1) {
      expect(await gateway.reached(id, 'sent', 'failed')).toMatchObject({ state: 'sent' });
      const { batch_id: batchId } = await gateway.row(id);
      await answered(await place(batchId!, 'cancel'));
      while ((await gateway.row(id)).batch_id === batchId) {
        await gateway.mine();
        await gateway.followed();
      }
    }
    held = false;
    await gateway.mineUntil([id], ['confirmed'], 12);
  });
});

test('an order about nothing that waits is refused by its code', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  await expect(place('gb_none', 'cancel')).rejects.toMatchObject({ code: 'unknown-transaction' });
  await expect(loadOrder(gateway.database, 'go_none')).rejects.toMatchObject({ code: 'unknown-transaction' });
});

exhaustiveTest('an order is refused although the key has nothing under way any more: its signer rested until the transaction was confirmed', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  gateway.start({ settings });
  const { id, waiting } = await sent();
  await gateway.mineUntil([id], ['confirmed'], 6);
  // An order stored while the transaction was pending: a writer whose signer rests reads no orders.
  await gateway.database.query(`insert into gateway_orders (order_id, batch_id, kind, created_at) values ('go_late', $1, 'speed_up', now())`, [waiting.batch_id]);
  expect(await answered('go_late')).toMatchObject({ status: 'refused', reason: expect.stringContaining('is already used') as string });
});
