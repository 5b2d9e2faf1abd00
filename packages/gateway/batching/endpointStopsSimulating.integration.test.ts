import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../testing/testGateway.ts';
import { interceptRpc, refused } from '../testing/testRpc.ts';

test('a message that the simulation refused ends with its reason also if the endpoint refuses the next simulation of the batch', async () => {
  const gateway = await openTestGateway({ operators: 2 });
  onTestFinished(() => gateway.close());
  const { chain: { operators: [inactive, entering] } } = gateway;
  let simulations = 0;
  const rpc = interceptRpc(gateway.chain.rpc, ({ method }, pass) => {
    if (method !== 'eth_simulateV1') return pass();
    simulations += 1;
    return simulations === 1 ? pass() : Promise.reject(refused(method, 'the method is not available'));
  });
  const expiredAt = await gateway.expiry();
  const ids = await gateway.submitMany([
    { account: inactive!, operation: { kind: 'exit', expiredAt } }, { account: entering!, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } },
  ]);
  gateway.start({ settings: { batch_window_ms: 0, confirmations: 1 }, rpc });
  const [exit, enter] = await gateway.ended(ids);
  expect([exit, enter]).toMatchObject([{ state: 'failed', reason_code: 'not-active' }, { state: 'confirmed', reason: null }]);
  expect(simulations).toBeGreaterThan(1);
});
