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
