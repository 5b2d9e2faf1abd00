import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeFunctionData } from 'viem';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { afterEach, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { listLanes } from '../lanes/laneStore.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: TestGateway;
afterEach(() => gateway.close());

/**
 * An endpoint whose newest block stays at the current block until `catchUp`. `stayUndecided` waits for three simulations on that block and fails if a
 * request is sent or ends meanwhile.
 */
async function laggingRpc(): Promise<{ rpc: RpcClient; stayUndecided(...requestIds: string[]): Promise<void>; catchUp(): void }> {
  const old = await gateway.chain.rpc.request('eth_getBlockByNumber', ['latest', false]);
  let lags = true;
  const simulated = { times: 0 };
  const rpc = interceptRpc(gateway.chain.rpc, async ({ method, params }, pass) => {
    if (method === 'eth_simulateV1') simulated.times += 1;
    return lags && method === 'eth_getBlockByNumber' && params[0] === 'latest' ? old : pass();
  });
  const stayUndecided = async (...requestIds: string[]): Promise<void> => {
    while (simulated.times < 3) {
      for (const id of requestIds) expect(await gateway.row(id)).toMatchObject({ state: expect.stringMatching(/verified|batched/), reason: null });
      await systemInterfaces.timers.sleep(20);
    }
  };
  return { rpc, stayUndecided, catchUp: () => { lags = false; } };
}

/** A gateway whose only place in the active set became free in a block that the lagging endpoint does not know, by a message that another key sent. */
async function freedPlace(): Promise<{ account: TestAccount; expiredAt: bigint; second: TestAccount; lagging: Awaited<ReturnType<typeof laggingRpc>> }> {
  gateway = await openTestGateway({ operators: 2, automine: false, rules: { maxActiveNodes: 1 } });
  const { chain } = gateway;
  const second = testAccount(3);
  await chain.setBalance(second.address, 10n ** 20n);
  const [leaving, account] = chain.operators;
  await gateway.enterAll([leaving!]);
  const lagging = await laggingRpc();
  const expiredAt = await gateway.expiry();
  const first = gateway.start();
  const left = await gateway.submit(leaving!, { kind: 'exit', expiredAt });
  await gateway.mineUntil([left], ['mined', 'confirmed'], 4);
  await first.close();
  return { account: account!, expiredAt, second, lagging };
}

exhaustiveTest('a message whose place became free by another key in a newer block is not judged by the older block', async () => {
  const { account, expiredAt, second, lagging } = await freedPlace();
  gateway.start({ keys: [second.privateKey], rpc: lagging.rpc });
  // The row has no verified block, like rows of earlier releases: only the block of the other key's transaction matters here.
  const id = await gateway.submit(account, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.database.query('update gateway_requests set verified_block = null where request_id = $1', [id]);
  await lagging.stayUndecided(id);
  lagging.catchUp();
  await gateway.mineUntil([id], ['mined', 'confirmed', 'failed'], 6);
  expect(await gateway.row(id)).toMatchObject({ state: expect.stringMatching(/mined|confirmed/), reason: null });
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
  await lagging.stayUndecided(id);
  lagging.catchUp();
  await gateway.mineUntil([id], ['mined', 'confirmed', 'failed'], 6);
  expect(await gateway.row(id)).toMatchObject({ state: expect.stringMatching(/mined|confirmed/), reason: null });
});

exhaustiveTest('what follows a message that waits for a newer block waits too, so that both take effect in their order', async () => {
  const { account, expiredAt, second, lagging } = await freedPlace();
  // In the older block, the enter would fail, and the change of the claimer would succeed.
  const ids = await gateway.submitMany([
    { account, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } }, { account, operation: { kind: 'claimer', claimer: second.address, expiredAt } },
  ]);
  gateway.start({ keys: [second.privateKey], rpc: lagging.rpc });
  await lagging.stayUndecided(...ids);
  lagging.catchUp();
  await gateway.mineUntil(ids, ['confirmed', 'failed'], 10);
  expect(await Promise.all(ids.map(async (id) => (await gateway.row(id)).reason))).toEqual([null, null]);
});

exhaustiveTest('a change that a key without a writer sent holds the next change of its node only until its block is final', async () => {
  gateway = await openTestGateway({ operators: 1, automine: false });
  const { chain } = gateway;
  const second = testAccount(3);
  await chain.setBalance(second.address, 10n ** 20n);
  const account = chain.operators[0]!;
  const expiredAt = await gateway.expiry();
  const settings = { confirmations: 3 };
  const first = gateway.start({ settings });
  const entered = await gateway.submit(account, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([entered], ['mined'], 4);
  await first.close();
  gateway.start({ settings, keys: [second.privateKey] });
  const exit = await gateway.submit(account, { kind: 'exit', expiredAt });
  await gateway.mineUntil([exit], ['confirmed', 'failed'], 12);
  expect([(await gateway.row(entered)).state, (await gateway.row(exit)).state]).toEqual(['mined', 'confirmed']);
});

test('an endpoint that stays behind the transactions of the key is no chain that was set back: nothing is sent at a used nonce, and the key says why', async () => {
  gateway = await openTestGateway({ operators: 2, automine: false });
  const lagging = await laggingRpc();
  const [account, other] = gateway.chain.operators;
  const expiredAt = await gateway.expiry();
  const first = gateway.start();
  const entered = await gateway.submit(account!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.mineUntil([entered], ['confirmed'], 6);
  await first.close();
  gateway.start({ rpc: lagging.rpc });
  const waiting = await gateway.submit(other!, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  const lane = async (): Promise<string | null> => (await listLanes(gateway.database, gateway.deployment))[0]!.reason;
  await expect.poll(lane, { timeout: 30_000 }).toMatch(/is older than a block with a transaction of the key/);
  expect((await gateway.row(waiting)).state).toBe('verified');
  lagging.catchUp();
  await gateway.mineUntil([waiting], ['confirmed', 'failed'], 6);
  const { rows } = await gateway.database.query<{ nonce: string; state: string }>('select nonce, state from gateway_batches order by nonce');
  expect(rows).toEqual([{ nonce: '0', state: 'confirmed' }, { nonce: '1', state: 'confirmed' }]);
});
