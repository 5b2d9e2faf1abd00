import type { Hex } from '@vouch/chain/messages/operation';
import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { countDays, findLostDay, storeCredits, storePassed, storeReported } from '../activityReporter/activityStore.ts';
import { openGatewayDatabase } from '../testing/sharedDatabase.ts';
import { checkActivity } from './activityCheck.ts';

const deployment = '31337:0xservice:0123456789abcdef';
const [early, late]: [Hex, Hex] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`];

let database: TestDatabase;
beforeAll(async () => {
  database = await openGatewayDatabase();
});
afterAll(() => database.close());
beforeEach(async () => void (await database.query('truncate gateway_batches cascade')));

/** Reports the day of nodes with one batch, of which the contract credits only some. */
async function report(date: number, nodes: readonly Hex[], credited: readonly Hex[]): Promise<void> {
  const batch = `batch-${date}`;
  await database.query(
    `insert into gateway_batches (batch_id, deployment, relayer, state, purpose, operations, created_at) values ($1, $2, $3, 'abandoned', 'activity', 0, now())`,
    [batch, deployment, Buffer.alloc(20, 9)]);
  await storeReported(database, deployment, date, nodes, batch);
  await storeCredits(database, deployment, batch, credited.map((node) => ({ node, date })));
}

it('names a day whose reports were all in vain once the day is over, and not before', async () => {
  await report(7, [early, late], [late]);
  expect(await findLostDay(database, deployment)).toBeNull();
  // A later day has results, so day 7 is over.
  await report(8, [early], [early]);
  expect(await findLostDay(database, deployment)).toEqual({ date: 7, nodes: [early], reported: 1 });
  expect(await checkActivity(database, deployment, true)).toMatchObject({
    status: 'warning', detail: expect.stringMatching(/^day 7 ended without credit although 0x\w+ was active long enough; all of them were reported in vain/) as string,
    remedy: expect.stringContaining('names their batches') as string,
  });
});

it('stores a day that was reported in vain as lost when the day closes, and takes it back if the contract credits it after all', async () => {
  await report(7, [early], []);
  expect(await storePassed(database, deployment, 7, false, [early, late])).toEqual([early, late]);
  expect(await storePassed(database, deployment, 7, false, [early, late])).toEqual([]);
  expect(await findLostDay(database, deployment)).toEqual({ date: 7, nodes: [late, early], reported: 1 });
  expect(await countDays(database, deployment)).toEqual([{ outcome: 'lost', days: 2 }]);
  expect(await storePassed(database, deployment, 7, true, [early])).toEqual([early]);
  await storeCredits(database, deployment, 'batch-7', [{ node: late, date: 7 }]);
  expect(await findLostDay(database, deployment)).toBeNull();
  expect(await countDays(database, deployment)).toEqual([{ outcome: 'credited', days: 2 }]);
});
