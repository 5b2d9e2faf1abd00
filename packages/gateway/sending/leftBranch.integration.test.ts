import { getNonce } from '@vouch/chain/rpc/chainReads';
import { startTestDeployment } from '@vouch/chain/testing/testDeployment';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';

type TestDeployment = Awaited<ReturnType<typeof startTestDeployment>>;

test.each<[string, (left: TestDeployment, chain: TestGateway['chain']) => Promise<void>]>([
  ['as high as that of the chain', async (left, chain) => {
    for (const head = await chain.rpc.ask('eth_blockNumber', [], Number); await left.rpc.ask('eth_blockNumber', [], Number) < head;) await left.mine();
  }],
  ['below the transaction and later', async (left) => {
    await left.increaseTime(600);
    await left.mine();
  }],
])('an endpoint that stopped on a branch without a final transaction does not decide the next nonce, also with a head %s', async (_, advance) => {
  const options = { automine: false, operators: 2 };
  const left = await startTestDeployment(options);
  onTestFinished(() => left.stop());
  const gateway = await openTestGateway(options);
  onTestFinished(() => gateway.close());
  const { chain, database } = gateway;
  await chain.mine(5);
  let isLeft = false;
  const rpc = interceptRpc(chain.rpc, ({ method, params }, pass) => (isLeft ? left.rpc.request(method, params) : pass()));
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 }, rpc });
  const enter = async (place: number): Promise<string> => gateway.submit(chain.operators[place]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() });
  const first = await enter(0);
  await gateway.mineUntil([first], ['confirmed'], 6);
  await advance(left, chain);
  isLeft = true;
  const second = await enter(1);
  const reasonOf = async (): Promise<string | null> => (await database.query<{ reason: string | null }>('select reason from gateway_lines')).rows[0]!.reason;
  const noncesOf = async (): Promise<number[]> => (await database.query<{ nonce: string }>('select nonce from gateway_attempts')).rows.map(({ nonce }) => Number(nonce));
  await expect.poll(async () => (await reasonOf()) !== null || (await noncesOf()).length > 1).toBe(true);
  expect(await noncesOf()).toEqual([0]);
  expect(await reasonOf()).toMatch(/on another branch/);
  expect((await database.query('select from gateway_batches where nonce = 0')).rows).toHaveLength(1);
  isLeft = false;
  await gateway.mineUntil([second], ['confirmed'], 8);
  expect(await getNonce(chain.rpc, chain.relayer.address)).toBe(2);
});
