import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { expect, onTestFinished, test } from 'vitest';
import { reserveGas } from '../budgets/spendingStore.ts';
import { openTestGateway } from '../testing/testGateway.ts';
import { interceptRpc } from '../testing/testRpc.ts';

test('the gas of an expired message stays reserved while its transaction can be mined, and is released once', async () => {
  const gateway = await openTestGateway({ automine: false, operators: 1 });
  onTestFinished(() => gateway.close());
  const { chain, database, deployment } = gateway;
  const [account] = chain.operators;
  const kept: unknown[] = [];
  let keeps = true;
  const rpc = interceptRpc(chain.rpc, async ({ method, params }, pass) => {
    if (!keeps || method !== 'eth_sendRawTransaction') return pass();
    kept.push(params[0]);
    return null;
  });
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 }, rpc });
  const reserved = 300_000;
  const day = new Date().toISOString().slice(0, 10);
  const id = await gateway.submit(account!, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() });
  await database.query('update gateway_requests set budget_day = $2, reserved_gas = $3 where request_id = $1', [id, day, reserved]);
  await reserveGas(database, deployment, day, [{ kind: 'enter', signer: account!.address.toLowerCase(), license: null, gas: reserved }]);
  const usage = async (): Promise<{ reserved: number; spent: number }[]> => (await database.query<{ reserved: number; spent: number }>(
    `select reserved_gas::int as reserved, spent_gas::int as spent from gateway_spending where scope = 'signer'`)).rows;
  await gateway.reached(id, 'sent');
  await chain.increaseTime(4_000);
  await gateway.mineUntil([id], ['expired'], 6);
  expect(await usage()).toEqual([{ reserved, spent: 0 }]);

  keeps = false;
  await chain.rpc.request('eth_sendRawTransaction', [kept[0]]);
  await expect.poll(async () => {
    await gateway.mine();
    return (await usage())[0]?.spent;
  }, { timeout: 60_000, interval: 500 }).toBeGreaterThan(20_000);
  expect(await usage()).toMatchObject([{ reserved: 0 }]);
});
