import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { Hex } from '@vouch/chain/messages/operation';
import { testAccount } from '@vouch/chain/testing/testChain';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { Transactor } from '@vouch/platform/database/database';
import { afterEach, expect, test } from 'vitest';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';
import { claimRequests } from './claimStore.ts';

shareDatabases();

let gateway: TestGateway;
afterEach(() => gateway.close());

test('two relayers that claim at the same time take different messages, and not two messages of one signer', async () => {
  gateway = await openTestGateway({ automine: false, operators: 3 });
  const { chain, database, deployment } = gateway;
  const expiredAt = await gateway.expiry();
  const ids = await gateway.submitMany(chain.operators.flatMap((account) => [
    { account, operation: { kind: 'enter' as const, replacedNode: zeroAddress, expiredAt } },
    { account, operation: { kind: 'exit' as const, expiredAt } },
  ]));
  const head = (await getBlock(chain.rpc, 'latest'))!;
  const claim = async (through: Transactor, relayer: Hex, batchId: string, limit: number, listed: () => void): Promise<string[]> => (await claimRequests(through, { deployment, relayer }, {
    batchId, limit, at: new Date(), chain: { view: { head, blocks: [head] }, finalBlock: head.number },
    choose: (queue) => { listed(); return queue.length; },
  })).map(({ requestId }) => requestId);

  let [isListed, second] = [false, Promise.resolve<string[]>([])];
  const others = async (): Promise<boolean> => isListed || (await database.query('select from pg_locks where locktype = \'advisory\' and not granted')).rows.length > 0;
  /** Stores the first claim only once the second has read the queue or waits. */
  const held: Transactor = {
    ...database,
    transaction: (work) => database.transaction((transaction) => work({
      async query(sql, values) {
        if (sql.startsWith('insert')) await expect.poll(others).toBe(true);
        return transaction.query(sql, values);
      },
    })),
  };
  const first = await claim(held, chain.relayer.address, 'first', 1, () => {
    second = claim(database, testAccount(3).address, 'second', 2, () => { isListed = true; });
  });
  expect([first, await second]).toEqual([[ids[0]], [ids[2], ids[3]]]);
  const { rows } = await database.query<{ request_id: string; batch_id: string | null }>('select request_id, batch_id from gateway_requests order by sequence');
  expect(rows.map(({ batch_id: batch }) => batch)).toEqual(['first', null, 'second', 'second', null, null]);
});
