import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getBlock, getNonce } from '@vouch/chain/rpc/chainReads';
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

/** Starts a gateway on a chain that mines when asked. */
async function open(confirmations: number, first: 'nothing' | 'the chain'): Promise<Pick<Shared, 'gateway' | 'meet'>> {
  const gateway = await openTestGateway(options);
  onTestFinished(() => gateway.close());
  let met: Parameters<Shared['meet']>[0] = first;
  const rpc = interceptRpc(gateway.chain.rpc, ({ method, params }, pass) => {
    if (typeof met === 'object') return met.request(method, params);
    return method === 'eth_sendRawTransaction' && met === 'nothing' ? Promise.resolve(`0x${'00'.repeat(32)}`) : pass();
  });
  gateway.start({ settings: { batch_window_ms: 0, confirmations }, rpc });
  return { gateway, meet: (what) => void (met = what) };
}

/** Sends a transaction of another program with the next nonce of the relayer's key, and mines it. */
async function sendForeign({ chain }: TestGateway): Promise<void> {
  const foreign = sendTransactions(chain.rpc, [{ to: chain.operators[0]!.address, data: '0x', gas: 21_000n }], { key: chain.relayer.privateKey });
  while (await getNonce(chain.rpc, chain.relayer.address) === 0) await chain.mine();
  await foreign;
}

/** Sends a message whose transaction gets lost, and then a transaction of another program with the same nonce, which is mined. */
async function shareKey(confirmations: number): Promise<Shared> {
  const { gateway, meet } = await open(confirmations, 'nothing');
  const { chain, database } = gateway;
  const id = await gateway.submit(chain.operators[0]!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() });
  await gateway.reached(id, 'sent');
  await sendForeign(gateway);
  return {
    gateway, id, meet,
    noncesOfBatches: async () => (await database.query<{ nonce: string }>('select nonce from gateway_batches')).rows.map(({ nonce }) => Number(nonce)),
    isAbandoned: async () => (await database.query(`select from gateway_batches where state = 'abandoned'`)).rowCount === 1,
  };
}

test.each(['is behind a', 'is on a branch without a'])('an endpoint that %s transaction of another program does not decide the next nonce', async (how) => {
  const older = await startTestDeployment(options);
  onTestFinished(() => older.stop());
  const { gateway, id, meet, noncesOfBatches, isAbandoned } = await shareKey(1);
  for (; !(await isAbandoned()); await gateway.followed()) await gateway.mine();
  const heightOf = async ({ rpc }: { rpc: RpcClient }): Promise<number> => (await getBlock(rpc, 'latest'))!.number;
  if (how !== 'is behind a') for (const head = await heightOf(gateway.chain); await heightOf(older) < head;) await older.mine();
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

test('a change whose nonce another program used fails if a later change of the signer is in a transaction', async () => {
  const { gateway, meet } = await open(8, 'the chain');
  const { chain: { operators: [node], rpc }, database } = gateway;
  const claim = async (digit: string): Promise<string> => gateway.submit(node!, { kind: 'claimer', claimer: `0x${digit.repeat(40)}`, expiredAt: await gateway.expiry() });
  const before = (await getBlock(rpc, 'latest'))!.number;
  const earlier = await claim('a');
  await gateway.mineUntil([earlier], ['mined'], 8);
  const later = await claim('b');
  await gateway.mineUntil([later], ['mined'], 8);
  // A reorganization loses both transactions, and another program uses the nonce of the first one.
  meet('nothing');
  await rpc.request('anvil_reorg', [(await getBlock(rpc, 'latest'))!.number - before, []]);
  await gateway.reached(later, 'sent');
  await sendForeign(gateway);
  meet('the chain');
  await gateway.mineUntil([earlier], ['failed', 'confirmed'], 40);
  await gateway.mineUntil([later], ['failed', 'confirmed'], 40);
  const { rows } = await database.query('select request_id, state, reason_code from gateway_requests order by sequence');
  expect(rows).toEqual([{ request_id: earlier, state: 'failed', reason_code: 'overtaken' }, { request_id: later, state: 'confirmed', reason_code: null }]);
  const { rows: [budget] } = await database.query<{ reserved: number }>('select coalesce(sum(reserved_gas), 0)::int as reserved from gateway_spending');
  expect(budget?.reserved).toBe(0);
});
