import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { serviceViews, tryReadView } from '@vouch/chain/contracts/service/views';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { encodeFunctionData } from 'viem';
import { afterEach, expect, test } from 'vitest';
import { reserveGas } from '../budgets/spendingStore.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

// Multicall3 gives no reasons of failed calls.
const start = { settings: { batch_window_ms: 0, confirmations: 3 }, native: false };
let gateway: TestGateway;
afterEach(() => gateway.close());

/**
 * Lets a node enter, and lets the contract reject the exit that the gateway then sends, because the node exits by its own transaction before.
 * @returns the request id of the exit
 */
async function sendRefusedExit(): Promise<string> {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  const { chain: { operators: [account], contracts: { service }, rpc } } = gateway;
  await gateway.enterAll([account!]);
  const kept: unknown[] = [];
  let keeps = true;
  gateway.start({
    ...start,
    rpc: interceptRpc(rpc, async ({ method, params }, pass) => {
      if (!keeps || method !== 'eth_sendRawTransaction') return pass();
      kept.push(params[0]);
      return null;
    }),
  });
  const exit = await gateway.submit(account!, { kind: 'exit', expiredAt: await gateway.expiry() });
  await expect.poll(() => kept.length).toBeGreaterThan(0);
  const sent = sendTransactions(rpc, [{ to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeExit' }), gas: 500_000n }], { key: account!.privateKey });
  await expect.poll(async () => rpc.ask('txpool_status', [], (answer) => (answer as { pending: string }).pending)).toBe('0x1');
  await gateway.mine();
  await sent;
  keeps = false;
  await rpc.request('eth_sendRawTransaction', [kept[0]]);
  await gateway.mineUntil([exit], ['mined'], 2);
  return exit;
}

test('a change that the contract rejects without a reason is not sent again after a later change of the same node', async () => {
  const exit = await sendRefusedExit();
  const { chain: { operators: [account], contracts: { service }, rpc } } = gateway;
  const enter = await gateway.submit(account!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() });
  await gateway.mineUntil([exit, enter], ['confirmed', 'failed'], 12);
  expect([await gateway.row(exit), await gateway.row(enter)]).toMatchObject([{ state: 'failed', reason_code: 'contract-refused', reason: expect.stringContaining('a later message of the signer') as string }, { state: 'confirmed' }]);
  expect(await tryReadView(rpc, serviceViews.node(service, account!.address))).toMatchObject({ active: true });
});

test('the gas of a rejected transaction counts once while its message waits to be sent again', async () => {
  const exit = await sendRefusedExit();
  const { database, deployment, chain: { operators: [account] } } = gateway;
  const reserved = 300_000;
  const day = new Date().toISOString().slice(0, 10);
  await database.query('update gateway_requests set budget_day = $2, reserved_gas = $3 where request_id = $1', [exit, day, reserved]);
  await reserveGas(database, deployment, day, [{ kind: 'exit', signer: account!.address.toLowerCase(), license: null, gas: reserved }]);
  const usage = async (): Promise<{ reserved: number; spent: number }[]> => (await database.query<{ reserved: number; spent: number }>(
    `select reserved_gas::int as reserved, spent_gas::int as spent from gateway_spending where scope = 'signer'`)).rows;
  await gateway.mineUntil([exit], ['verified', 'failed'], 6);
  const [{ reserved: left, spent } = { reserved: 0, spent: 0 }] = await usage();
  expect(spent).toBeGreaterThan(30_000);
  expect(left + spent).toBe(reserved);
});
