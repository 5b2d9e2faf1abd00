import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';

test('a message whose transaction is in a block does not expire while the endpoint has no receipt of it, however late the chain is', async () => {
  const gateway = await openTestGateway({ automine: false, operators: 1 });
  onTestFinished(() => gateway.close());
  const { chain } = gateway;
  let withholds = true;
  const rpc = interceptRpc(chain.rpc, async ({ method }, pass) => (withholds && method === 'eth_getTransactionReceipt' ? null : pass()));
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 }, rpc });
  const id = await gateway.submit(chain.operators[0]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() });
  await gateway.reached(id, 'sent');
  await gateway.mine();
  await chain.increaseTime(4_000);
  for (let block = 0; block < 4; block += 1) {
    await gateway.mine();
    await gateway.followed();
  }
  expect(await gateway.row(id)).toMatchObject({ state: 'sent', reason_code: null });
  withholds = false;
  await gateway.mineUntil([id], ['confirmed'], 4);
});

test('no transaction is abandoned while endpoints have no receipts, although more nonces are without one than a step searches', async () => {
  const gateway = await openTestGateway({ automine: false, operators: 6 });
  onTestFinished(() => gateway.close());
  const { chain, database } = gateway;
  let withholds = true;
  let searches = 0;
  const rpc = interceptRpc(chain.rpc, async ({ method, params }, pass) => {
    if (method === 'eth_getBlockByNumber' && params[1] === true) searches += 1;
    return withholds && method === 'eth_getTransactionReceipt' ? null : pass();
  });
  const expiredAt = await gateway.expiry();
  gateway.start({ settings: { batch_window_ms: 0, batch_max_operations: 1, confirmations: 1 }, rpc });
  const ids = await gateway.submitMany(chain.operators.map((account) => ({ account, operation: { kind: 'enter' as const, replacedNode: zeroAddress, expiredAt } })));
  for (const id of ids) await gateway.reached(id, 'sent');
  for (let block = 0; block < 8; block += 1) await gateway.mine();
  // 25 steps with four searches each; a nonce counts as used by an unknown transaction after 20 searches without a result.
  await expect.poll(async () => {
    await gateway.followed();
    return searches;
  }, { timeout: 120_000, interval: 20 }).toBeGreaterThan(100);
  expect((await database.query('select distinct state from gateway_batches')).rows).toEqual([{ state: 'sent' }]);
  withholds = false;
  await gateway.mineUntil(ids, ['confirmed'], 6);
});

test('a message that an earlier release left in a final batch without sending it expires', async () => {
  const gateway = await openTestGateway({ automine: false, operators: 2 });
  onTestFinished(() => gateway.close());
  const { chain: { operators: [first, second], increaseTime }, database } = gateway;
  const expiredAt = await gateway.expiry();
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 } });
  const sent = await gateway.submit(first!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([sent], ['confirmed'], 6);
  const left = await gateway.submit(second!, { kind: 'exit', expiredAt });
  await database.query(`UPDATE gateway_requests l SET state = 'sent', batch_id = s.batch_id, batched_at = now() FROM gateway_requests s WHERE l.request_id = $1 AND s.request_id = $2`, [left, sent]);
  await increaseTime(4_000);
  await gateway.mineUntil([left], ['expired'], 6);
});
