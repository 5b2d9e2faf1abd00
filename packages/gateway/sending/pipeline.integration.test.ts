import { afterEach, expect, test } from 'vitest';
import { openTestGateway, type TestGateway } from './testGateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

test('all five operations of several nodes land in one transaction and are confirmed', async () => {
  gateway = await openTestGateway({ operators: 6 });
  const { chain } = gateway;
  const [first, second, third, fourth, fifth, newcomer] = chain.operators;
  await gateway.enterAll([first!, second!, third!, fourth!, fifth!]);
  const { attestationIds, chosen } = await gateway.attest(['one']);
  const expiredAt = await gateway.expiry();
  const reporter = chain.operators.find(({ address }) => address === chosen[0])!;
  const ids = await gateway.submitMany([
    { account: reporter, operation: { kind: 'report', attestationId: attestationIds[0]!, result: 0, index: 0 } },
    { account: newcomer!, operation: { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt } },
    { account: newcomer!, operation: { kind: 'commission', commissionRate: 300, expiredAt } },
    { account: second!, operation: { kind: 'claimer', claimer: first!.address, expiredAt } },
    { account: third!, operation: { kind: 'exit', expiredAt } },
  ]);
  gateway.start();
  const rows = await gateway.ended(ids);
  expect(rows.map(({ state, reason }) => ({ state, reason }))).toEqual(ids.map(() => ({ state: 'confirmed', reason: null })));
  expect(new Set(rows.map(({ batch_id: id }) => id)).size).toBe(1);
});
