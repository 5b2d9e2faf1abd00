import type { Finding } from '@vouch/platform/product/product';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '../sending/testGateway.ts';
import { checkQueue } from './queueCheck.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
});
afterAll(() => gateway.close());

/** What doctor has against the queue with these keys, so many seconds from now. */
async function findings(ownKeys: readonly `0x${string}`[], seconds: number): Promise<Finding[]> {
  const found = await checkQueue({ database: gateway.database, clock: { now: () => Date.now() + seconds * 1_000 } }, gateway.deployment, ownKeys);
  return found.filter(({ status }) => status !== 'ok');
}

it('names a key that was taken out while its transaction was on the way, until it is back and the transaction has ended', async () => {
  const { relayer, operators } = gateway.chain;
  const pipeline = gateway.start({ settings: { batch_window_ms: 0 } });
  const id = await gateway.submit(operators[0]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt: await gateway.expiry() });
  await gateway.reached(id, 'sent');
  await pipeline.close();
  // Another gateway may run with it, as long as it writes.
  expect(await findings([], 0)).toEqual([]);
  expect(await findings([relayer.address], 130)).toEqual([]);
  expect(await findings([], 130)).toEqual([{
    status: 'warning',
    detail: `${relayer.address} left 1 transaction with 1 message on the way, and no gateway runs with that key: nobody learns what becomes of them`,
    remedy: expect.stringContaining('Put the key back') as string,
  }]);
  gateway.start({ settings: { batch_window_ms: 0 } });
  await gateway.mineUntil([id], ['confirmed'], 8);
  expect(await findings([], 130)).toEqual([]);
});

it('names messages of a contract that no gateway serves any more', async () => {
  const id = await gateway.submit(gateway.chain.operators[0]!, { kind: 'claimer', claimer: `0x${'42'.repeat(20)}`, expiredAt: await gateway.expiry() });
  const before = '31337:0xbefore:0123456789abcdef';
  await gateway.database.query('UPDATE gateway_requests SET deployment = $1, state = $2, batch_id = null WHERE request_id = $3', [before, 'verified', id]);
  const own = [gateway.chain.relayer.address];
  const [left, ...others] = await findings(own, 0);
  expect(others).toEqual([]);
  expect(left).toEqual({
    status: 'warning', detail: expect.stringMatching(new RegExp(`^1 message, the oldest of 2.*Z, was accepted for ${before}, which no gateway serves any more \\(${gateway.deployment} is served\\)`)) as string,
    remedy: expect.stringContaining('VOUCH_CONTRACT_ADDRESS') as string,
  });
  // Another gateway on the same database may serve it.
  await gateway.database.query(`INSERT INTO gateway_lines (deployment, relayer, state, updated_at) VALUES ($1, $2, 'running', now())`, [before, Buffer.alloc(20, 9)]);
  expect(await findings(own, 0)).toEqual([]);
});
