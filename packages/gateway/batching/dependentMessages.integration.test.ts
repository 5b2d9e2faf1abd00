import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { afterEach, expect, test } from 'vitest';
import { listQueued } from './claimStore.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const ends = ['confirmed', 'failed'] as const;
let gateway: TestGateway;
afterEach(() => gateway.close());

test('a message that only an earlier message of its batch makes impossible fails no sooner than the earlier one is final', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2, rules: { maxActiveNodes: 1 } });
  await gateway.chain.mine(5);
  const expiredAt = await gateway.expiry();
  const [first, second] = await gateway.submitMany(gateway.chain.operators.map((account) => ({ account, operation: { kind: 'enter' as const, replacedNode: zeroAddress, expiredAt } })));
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 3 } });
  await gateway.reached(first!, 'sent');
  await gateway.mineUntil([second!], ends, 12);
  expect([await gateway.row(first!), await gateway.row(second!)]).toMatchObject([{ state: 'confirmed' }, { state: 'failed', reason_code: 'replaced-not-active', batch_id: null }]);
});

test('the later message takes effect if a reorganization removes the earlier one for good', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2, rules: { maxActiveNodes: 1 } });
  await gateway.chain.mine(5);
  const expiredAt = await gateway.expiry();
  const enter = (place: number, expiry: bigint) => ({ account: gateway.chain.operators[place]!, operation: { kind: 'enter' as const, replacedNode: zeroAddress, expiredAt: expiry } });
  const [first, second] = await gateway.submitMany([enter(0, expiredAt - 3_500n), enter(1, expiredAt)]);
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 3 } });
  await gateway.reached(first!, 'sent');
  for (let block = 0; block < 3; block += 1) {
    await gateway.mine();
    await gateway.followed();
  }
  await gateway.chain.rpc.request('anvil_reorg', [4, []]);
  await gateway.chain.increaseTime(200);
  await gateway.mineUntil([first!, second!], [...ends, 'expired'], 14);
  expect([await gateway.row(first!), await gateway.row(second!)]).toMatchObject([{ state: 'expired' }, { state: 'confirmed', reason: null }]);
});

test('a message is not overtaken by a later one of its signer while it waits for pending transactions', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  const [other, account] = gateway.chain.operators;
  const expiredAt = await gateway.expiry();
  const pipeline = gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 } });
  const pending = await gateway.submit(other!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.reached(pending, 'sent');
  const exit = await gateway.submit(account!, { kind: 'exit', expiredAt });
  await expect.poll(async () => (await gateway.row(exit)).simulated_at).not.toBeNull();
  await pipeline.close();
  // The node is not active. Sent in the wrong order, both messages would succeed and leave the node inactive.
  const enter = await gateway.submit(account!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  expect(await listQueued(gateway.database, { deployment: gateway.deployment, relayer: gateway.chain.relayer.address }, 10)).toEqual([]);
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 } });
  await gateway.mineUntil([exit, enter], ends, 10);
  expect([await gateway.row(exit), await gateway.row(enter)]).toMatchObject([{ state: 'failed', reason_code: 'not-active' }, { state: 'confirmed', reason: null }]);
});
