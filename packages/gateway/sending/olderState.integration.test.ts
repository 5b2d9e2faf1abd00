import { testAccount } from '@vouch/chain/testing/testChain';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeFunctionData } from 'viem';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { afterEach, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: TestGateway;
afterEach(() => gateway.close());

/** An endpoint whose newest block stays at the current block until `catchUp`. Counts the simulations on that block. */
async function laggingRpc(): Promise<{ rpc: RpcClient; simulations(): number; catchUp(): void }> {
  const old = await gateway.chain.rpc.request('eth_getBlockByNumber', ['latest', false]);
  let lags = true;
  let simulations = 0;
  const rpc = interceptRpc(gateway.chain.rpc, async ({ method, params }, pass) => {
    if (method === 'eth_simulateV1') simulations += 1;
    return lags && method === 'eth_getBlockByNumber' && params[0] === 'latest' ? old : pass();
  });
  return { rpc, simulations: () => simulations, catchUp: () => { lags = false; } };
}

exhaustiveTest('a message whose signer entered by another key in a newer block is not judged by the older block', async () => {
  gateway = await openTestGateway({ operators: 1, automine: false });
  const { chain } = gateway;
  const second = testAccount(3);
  await chain.setBalance(second.address, 10n ** 20n);
  await gateway.mine();
  const lagging = await laggingRpc();
  const account = chain.operators[0]!;
  const expiredAt = await gateway.expiry();
  const first = gateway.start();
  const entered = await gateway.submit(account, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([entered], ['mined', 'confirmed'], 4);
  await first.close();
  gateway.start({ keys: [second.privateKey], rpc: lagging.rpc });
  // The row has no verified block, like rows of earlier releases: only the block of the other key's transaction matters here.
  const [id] = await gateway.submitMany([{ account, operation: { kind: 'commission', commissionRate: 300, expiredAt } }]);
  await gateway.database.query('update gateway_requests set verified_block = null where request_id = $1', [id]);
  while (lagging.simulations() < 3) await systemInterfaces.timers.sleep(20);
  expect(await gateway.row(id!)).toMatchObject({ reason: null });
  lagging.catchUp();
  await gateway.mineUntil([id!], ['mined', 'confirmed', 'failed'], 6);
  expect(await gateway.row(id!)).toMatchObject({ state: expect.stringMatching(/mined|confirmed/), reason: null });
});

test('a message that was accepted for the state of a newer block is not judged by an older one', async () => {
  gateway = await openTestGateway({ operators: 1, automine: false });
  const { chain } = gateway;
  const lagging = await laggingRpc();
  const account = chain.operators[0]!;
  const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnter', args: [zeroAddress] });
  const entering = sendTransactions(chain.rpc, [{ to: chain.contracts.service, data, gas: 500_000n }], { key: account.privateKey });
  while (BigInt(await chain.rpc.request<string>('eth_getTransactionCount', [account.address, 'pending'])) === 0n) await systemInterfaces.timers.sleep(20);
  await gateway.mine();
  await entering;
  gateway.start({ rpc: lagging.rpc });
  const id = await gateway.submit(account, { kind: 'commission', commissionRate: 300, expiredAt: await gateway.expiry() });
  while (lagging.simulations() < 3) await systemInterfaces.timers.sleep(20);
  expect(await gateway.row(id)).toMatchObject({ reason: null });
  lagging.catchUp();
  await gateway.mineUntil([id], ['mined', 'confirmed', 'failed'], 6);
  expect(await gateway.row(id)).toMatchObject({ state: expect.stringMatching(/mined|confirmed/), reason: null });
});

exhaustiveTest('what follows a message that waits for a newer block waits too, so that both take effect in their order', async () => {
  gateway = await openTestGateway({ operators: 1, automine: false });
  const { chain } = gateway;
  const second = testAccount(3);
  await chain.setBalance(second.address, 10n ** 20n);
  await gateway.mine();
  const lagging = await laggingRpc();
  const account = chain.operators[0]!;
  const expiredAt = await gateway.expiry();
  const first = gateway.start();
  const entered = await gateway.submit(account, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([entered], ['mined', 'confirmed'], 4);
  await first.close();
  // In the older block, the node is not active: the exit would fail, and the second enter would succeed.
  const ids = await gateway.submitMany([
    { account, operation: { kind: 'exit', expiredAt } }, { account, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt: expiredAt + 1n } },
  ]);
  gateway.start({ keys: [second.privateKey], rpc: lagging.rpc });
  while (lagging.simulations() < 1) await systemInterfaces.timers.sleep(20);
  await systemInterfaces.timers.sleep(1_000);
  lagging.catchUp();
  await gateway.mineUntil(ids, ['confirmed', 'failed'], 10);
  expect(await Promise.all(ids.map(async (id) => (await gateway.row(id)).reason))).toEqual([null, null]);
});
