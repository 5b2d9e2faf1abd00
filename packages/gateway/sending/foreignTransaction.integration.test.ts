import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { startTestDeployment } from '@vouch/chain/testing/testDeployment';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';

// Another program sends a transaction with the key of a relayer.

const options = { automine: false, operators: 1 };

interface Shared {
  gateway: TestGateway;
  /** The message whose nonce the other program used. */
  id: string;
  /** What the gateway's transactions meet: nothing takes them, the chain, or another chain that stands for an older state. */
  meet(what: 'nothing' | 'the chain' | RpcClient): void;
  noncesOfBatches(): Promise<number[]>;
  isAbandoned(): Promise<boolean>;
}

/** Sends a message whose transaction gets lost, and then a transaction of another program with the same nonce, which is mined. */
async function shareKey(confirmations: number): Promise<Shared> {
  const gateway = await openTestGateway(options);
  onTestFinished(() => gateway.close());
  const { chain, database } = gateway;
  let met: Parameters<Shared['meet']>[0] = 'nothing';
  const rpc = interceptRpc(chain.rpc, ({ method, params }, pass) => {
    if (typeof met === 'object') return met.request(method, params);
    return method === 'eth_sendRawTransaction' && met === 'nothing' ? Promise.resolve(`0x${'00'.repeat(32)}`) : pass();
  });
  gateway.start({ settings: { batch_window_ms: 0, confirmations }, rpc });
  const id = await gateway.submit(chain.operators[0]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() });
  await gateway.reached(id, 'sent');
  const foreign = sendTransactions(chain.rpc, [{ to: chain.operators[0]!.address, data: '0x', gas: 21_000n }], { key: chain.relayer.privateKey });
  while (await getNonce(chain.rpc, chain.relayer.address) === 0) await chain.mine();
  await foreign;
  return {
    gateway, id, meet: (what) => void (met = what),
    noncesOfBatches: async () => (await database.query<{ nonce: string }>('select nonce from gateway_batches')).rows.map(({ nonce }) => Number(nonce)),
    isAbandoned: async () => (await database.query(`select from gateway_batches where state = 'abandoned'`)).rowCount === 1,
  };
}

test('an endpoint that is behind a transaction of another program does not decide the next nonce', async () => {
  const older = await startTestDeployment(options);
  onTestFinished(() => older.stop());
  const { gateway, id, meet, noncesOfBatches, isAbandoned } = await shareKey(1);
  for (; !(await isAbandoned()); await gateway.followed()) await gateway.mine();
  meet(older.rpc);
  const uses = async (): Promise<number> => (await noncesOfBatches()).filter((nonce) => nonce === 0).length;
  const waits = async (): Promise<boolean> => (await gateway.database.query(`select from gateway_lines where reason like '%is older than a block with a transaction of the key%'`)).rowCount === 1;
  await expect.poll(async () => (await waits()) || (await uses()) > 1, { timeout: 20_000 }).toBe(true);
  expect(await uses()).toBe(1);
  meet('the chain');
  await gateway.mineUntil([id], ['confirmed'], 8);
});

test('a transaction of another program ends that of the gateway only when its block is final', async () => {
  const { gateway, id, meet, isAbandoned } = await shareKey(5);
  for (let at = 0; at < 4; at += 1) await gateway.mine();
  await gateway.followed();
  expect(await isAbandoned()).toBe(false);
  // A reorganization removes the block of the other transaction, so that of the gateway is mined.
  await gateway.chain.rpc.request('anvil_reorg', [5, []]);
  meet('the chain');
  await gateway.mineUntil([id], ['confirmed'], 14);
  const { rows } = await gateway.database.query('select state, nonce::int from gateway_batches');
  expect(rows).toEqual([{ state: 'confirmed', nonce: 0 }]);
});
