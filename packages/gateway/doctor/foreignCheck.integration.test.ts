import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';
import { checkQueue } from './queueCheck.ts';

shareDatabases();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
});
afterAll(() => gateway.close());

async function findings(secondsAhead: number): Promise<unknown[]> {
  const found = await checkQueue({ database: gateway.database, clock: { now: () => Date.now() + secondsAhead * 1_000 } }, { deployment: gateway.deployment }, [gateway.chain.relayer.address]);
  return found.filter(({ status }) => status !== 'ok');
}

it('names a key that another program uses, with the foreign transaction, for a day', async () => {
  const { chain } = gateway;
  const pipeline = gateway.start({ settings: { batch_window_ms: 0 } });
  const id = await gateway.submit(chain.operators[0]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt: await gateway.expiry() });
  await gateway.reached(id, 'sent');
  await pipeline.close();
  await chain.rpc.request('anvil_dropAllTransactions', []);
  expect(await findings(0)).toEqual([]);
  const [foreign] = await sendTransactions(chain.rpc, [{ to: chain.deployer.address, data: '0x', gas: 21_000n }], { key: chain.relayer.privateKey, mine: () => chain.mine() });
  gateway.start({ settings: { batch_window_ms: 0 } });
  await gateway.mineUntil([id], ['confirmed'], 10);
  expect(await findings(0)).toEqual([{
    status: 'warning', code: 'key-used-elsewhere', remedy: expect.stringContaining('its own key') as string,
    detail: expect.stringMatching(new RegExp(`^within the last day, 1 transaction of the relayer key ${chain.relayer.address} lost its nonce to another program, ` +
      `the newest at 2.*Z: nonce 0 was used by transaction ${foreign!.transactionHash}, which this gateway did not send$`)) as string,
  }]);
  expect(await findings(86_500)).toEqual([]);
});
