import { afterEach, expect, test } from 'vitest';
import { realDoors } from '@vouch/platform/process/doors';
import { openTestGateway, type TestGateway } from '../sending/testGateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

async function activityBatches(): Promise<number> {
  const { rows } = await gateway.database.query<{ count: number }>(
    `select count(*)::int as count from gateway_batches where purpose = 'activity' and state = 'confirmed' and succeeded`);
  return rows[0]!.count;
}

test('with the keeper on, a node that sent anything has its day reported once; one that did not, and one that left, have not', async () => {
  gateway = await openTestGateway({ operators: 3, rules: { minOnline: 10 } });
  const [asking, silent, leaving] = gateway.chain.operators;
  await gateway.enterAll([asking!, silent!, leaving!]);
  await gateway.chain.increaseTime(11);
  const expiredAt = await gateway.expiry();
  // All three entered through the gateway; only what is sent from now on counts here.
  await gateway.database.query(`update gateway_requests set received_at = received_at - interval '2 days'`);
  const without = gateway.start();
  await gateway.ended(await gateway.submitMany([
    { account: asking!, operation: { kind: 'claimer', claimer: silent!.address, expiredAt } },
    { account: leaving!, operation: { kind: 'exit', expiredAt } },
  ]));
  await without.close();
  const pipeline = gateway.start({ settings: { keeper: true } });
  while ((await activityBatches()) === 0) await realDoors.timers.sleep(50);
  await pipeline.close();
  // A restart looks again at once and finds nothing to do.
  gateway.start({ settings: { keeper: true } });
  await gateway.ended(await gateway.submitMany([{ account: asking!, operation: { kind: 'claimer', claimer: leaving!.address, expiredAt } }]));
  expect(await activityBatches()).toBe(1);
  const { rows } = await gateway.database.query<{ node: Buffer }>('select node from gateway_activity');
  expect(rows.map(({ node }) => `0x${node.toString('hex')}`)).toEqual([asking!.address]);
});

test('with the keeper off nothing of it is sent', async () => {
  gateway = await openTestGateway({ operators: 1, rules: { minOnline: 10 } });
  const [asking] = gateway.chain.operators;
  await gateway.enterAll([asking!]);
  await gateway.chain.increaseTime(11);
  gateway.start();
  await gateway.ended([await gateway.submit(asking!, { kind: 'claimer', claimer: gateway.chain.deployer.address, expiredAt: await gateway.expiry() })]);
  expect(await activityBatches()).toBe(0);
});
