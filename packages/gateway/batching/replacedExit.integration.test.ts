import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../testing/testGateway.ts';

// `NodeClear` tells of a node that left and of one that was replaced. The contract in use emits it after `NodeActivate` of the entry, Vouch's own before it.
test('an exit is not confirmed by the event of a replacement, in whatever order the contract emits its events', async () => {
  const gateway = await openTestGateway({ operators: 2, serviceBytecode: revertingServiceBytecode, rules: { maxActiveNodes: 1 } });
  onTestFinished(() => gateway.close());
  const { chain: { rpc, contracts, deployer, operators: [light, heavy] } } = gateway;
  await mintLicenses(rpc, contracts, [{ address: heavy!.address, count: 1 }], { key: deployer.privateKey });
  await gateway.enterAll([light!]);
  const expiredAt = await gateway.expiry();
  gateway.start();
  const ids = await gateway.submitMany([
    { account: heavy!, operation: { kind: 'enter', replacedNode: light!.address, expiredAt } }, { account: light!, operation: { kind: 'exit', expiredAt } },
  ]);
  const rows = await gateway.ended(ids);
  expect(rows.map(({ state, reason_code: code }) => [state, code])).toEqual([['confirmed', null], ['failed', 'not-active']]);
});
