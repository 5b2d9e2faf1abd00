import type { Finding } from '@vouch/platform/product/findings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { leaseName } from '../lanes/laneStore.ts';
import { checkQueue } from './queueCheck.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
});
afterAll(() => gateway.close());

/** The findings other than `ok` about the queue, with these keys, `seconds` from now. */
async function findings(ownKeys: readonly `0x${string}`[], seconds: number): Promise<Finding[]> {
  const found = await checkQueue({ database: gateway.database, clock: { now: () => Date.now() + seconds * 1_000 } }, { deployment: gateway.deployment }, ownKeys);
  return found.filter(({ status }) => status !== 'ok');
}

it('names a key that was taken out while its transaction was on the way, until it is back and the transaction has ended', async () => {
  const { relayer, operators } = gateway.chain;
  const pipeline = gateway.start({ settings: { batch_window_ms: 0 } });
  const id = await gateway.submit(operators[0]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt: await gateway.expiry() });
  await gateway.reached(id, 'sent');
  await gateway.followed();
  await pipeline.close();
  // The key may belong to another gateway while its record is fresh.
  expect(await findings([], 0)).toEqual([]);
  expect(await findings([relayer.address], 130)).toEqual([]);
  expect(await findings([], 130)).toEqual([{
    status: 'warning', code: 'key-left-behind',
    detail: `the relayer key ${relayer.address} has 1 pending transaction with 1 message, but no gateway runs with this key, so no gateway follows the transaction`,
    remedy: expect.stringContaining('Add the key again') as string,
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
    status: 'warning', code: 'messages-left-behind', detail: expect.stringMatching(new RegExp(`^1 message \\(the oldest received at 2.*Z\\) was accepted for ${before}, which no gateway serves any more \\(${gateway.deployment} is served\\)`)) as string,
    remedy: expect.stringContaining('VOUCH_CONTRACT_ADDRESS') as string,
  });
  // Another gateway on the same database may serve the contract.
  await gateway.database.query(`INSERT INTO gateway_lines (deployment, relayer, state, updated_at) VALUES ($1, $2, 'running', now())`, [before, Buffer.alloc(20, 9)]);
  expect(await findings(own, 0)).toEqual([]);
});

it('names a key that no gateway writes while messages wait, and one whose writer is lost again and again', async () => {
  const { relayer, operators } = gateway.chain;
  const name = leaseName({ deployment: gateway.deployment, relayer: relayer.address });
  await gateway.submit(operators[0]!, { kind: 'claimer', claimer: relayer.address, expiredAt: await gateway.expiry() });
  const stored = `insert into leases (name, holder, renewed_at, lease_until, lost_at) values ($1, 'host-b/7', now() - interval '45 seconds', now() - interval '37 seconds', $2)
    on conflict (name) do update set holder = excluded.holder, fence = null, renewed_at = excluded.renewed_at, lease_until = excluded.lease_until, lost_at = excluded.lost_at`;
  const minutesAgo = (...minutes: number[]): Date[] => minutes.map((minute) => new Date(Date.now() - minute * 60_000));
  await gateway.database.query(stored, [name, minutesAgo(55, 40, 9)]);
  const writers = async (): Promise<Finding[]> => (await findings([relayer.address], 0)).filter(({ detail }) => /lease/.test(detail));
  expect(await writers()).toEqual([{
    status: 'fault', code: 'lease-unheld',
    detail: expect.stringMatching(new RegExp(`^no gateway has held the lease of the relayer key ${relayer.address} for \\d+ s \\(last holder: process host-b/7\\), and 1 message is pending$`)) as string,
    remedy: expect.stringContaining('Start vouch serve with this key') as string,
  }]);
  await gateway.database.query(stored, [name, minutesAgo(30, 8, 6, 4)]);
  expect((await writers()).map(({ status, detail }) => [status, detail])).toContainEqual(
    ['warning', `the lease of the relayer key ${relayer.address} was lost 3 times within ten minutes (last holder: process host-b/7)`]);
});
