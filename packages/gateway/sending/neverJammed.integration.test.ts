import { expect, test, afterEach } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { Operation } from '@vouch/chain/messages/operation';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { createLaneSigner } from './laneSigner.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc, refused, unavailable } from '../testing/testRpc.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

// Faults that stopped other relayers permanently; each test has the name of the original report. Blocks are mined only by the
// tests, so "within three blocks" is a count and independent of timing.

const gwei = 10n ** 9n;
const ends = ['confirmed', 'failed', 'expired'] as const;
const settings = { batch_window_ms: 0 };
let gateway: TestGateway;
afterEach(() => gateway.close());

async function open(operators = 3): Promise<TestGateway> {
  gateway = await openTestGateway({ automine: false, operators });
  return gateway;
}

async function enterBy(place: number, more: { expiresIn?: bigint } = {}): Promise<string> {
  const expiredAt = (await gateway.expiry()) - 3_600n + (more.expiresIn ?? 3_600n);
  return gateway.submit(gateway.chain.operators[place]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt } satisfies Operation);
}

async function hashesOf(requestId: string): Promise<string[]> {
  const { rows } = await gateway.database.query<{ hash: Buffer }>(
    `select transaction_hash as hash from gateway_attempts join gateway_requests using (batch_id) where request_id = $1 order by created_at`, [requestId]);
  return rows.map(({ hash }) => `0x${hash.toString('hex')}`);
}

async function dropFromPool(requestId: string): Promise<void> {
  for (const hash of await hashesOf(requestId)) await gateway.chain.rpc.request('anvil_dropTransaction', [hash]);
}

/** Sends a transaction with the relayer key from outside the gateway. */
async function useKeyElsewhere(nonce: number): Promise<void> {
  const { chain } = gateway;
  const signer = createLaneSigner(createLocalSigner(chain.relayer.privateKey), chain.chainId, systemInterfaces);
  const { raw } = await signer.sign({
    nonce, payload: { to: chain.deployer.address, calldata: '0x' }, gasLimit: 21_000n, fees: { maxFeeWei: 100n * gwei, priorityFeeWei: gwei },
  });
  await chain.rpc.request('eth_sendRawTransaction', [raw]);
}

async function batchCount(state: string): Promise<number> {
  const { rows } = await gateway.database.query<{ count: number }>(
    `select count(*)::int as count from gateway_batches where state = $1 and purpose = 'operations'`, [state]);
  return rows[0]!.count;
}

exhaustiveTest('the same bundle sent at N and N+1: bytes whose sending went unanswered are sent again, never signed for another nonce', async () => {
  const { chain } = await open();
  let sends = 0;
  const raws = new Set<unknown>();
  const rpc = interceptRpc(chain.rpc, async ({ method, params }, pass) => {
    if (method !== 'eth_sendRawTransaction') return pass();
    raws.add(params[0]);
    // The node accepts the transaction but its answer is lost; later the node reports a used nonce for its own transaction.
    if (++sends === 1) {
      await pass();
      throw unavailable(method);
    }
    throw refused(method, 'nonce too low');
  });
  gateway.start({ settings, rpc });
  const id = await enterBy(0);
  await gateway.reached(id, 'sent');
  expect(await gateway.mineUntil([id], ['confirmed'], 3)).toBeLessThanOrEqual(3);
  expect(raws.size).toBe(1);
  expect(await getNonce(chain.rpc, chain.relayer.address)).toBe(1);
  expect(await batchCount('confirmed')).toBe(1);
});

test('nonce counter above the chain: what waits at a nonce that nothing leads up to lands after the gap is filled', async () => {
  const { chain } = await open();
  await chain.rpc.request('anvil_setNonce', [chain.relayer.address, '0x5']);
  await gateway.mine();
  const pipeline = gateway.start({ settings });
  const id = await enterBy(0);
  await gateway.reached(id, 'sent');
  await pipeline.close();
  await dropFromPool(id);
  await chain.rpc.request('anvil_setNonce', [chain.relayer.address, '0x2']);
  await gateway.mine();
  gateway.start({ settings });
  const next = await enterBy(1);
  expect(await gateway.mineUntil([id, next], ['mined', 'confirmed'], 3)).toBeLessThanOrEqual(3);
  expect(await getNonce(chain.rpc, chain.relayer.address)).toBe(7);
});

exhaustiveTest('price spike above the cap that falls again: nothing new is sent while it lasts, with the reason, and all lands after', async () => {
  const { chain } = await open();
  const readLine = async () => (await gateway.database.query<{ state: string; reason: string }>('select state, reason from gateway_lines')).rows[0];
  const spike = (wei: bigint) => chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
  gateway.start({ settings: { ...settings, max_fee_gwei: 50 } });
  const sent = await enterBy(0);
  await gateway.reached(sent, 'sent');
  await dropFromPool(sent);
  for (let block = 0; block < 4; block += 1) {
    await spike(200n * gwei);
    await gateway.mine();
    await gateway.followed();
  }
  const waiting = await enterBy(1);
  await expect.poll(readLine, { timeout: 240_000 }).toMatchObject({ state: 'paused', reason: expect.stringMatching(/200 gwei, above the limit of 50: .*VOUCH_MAX_FEE_GWEI/) });
  expect((await gateway.row(waiting)).state).toBe('verified');
  await spike(gwei);
  expect(await gateway.mineUntil([sent, waiting], ['mined', 'confirmed'], 4)).toBeLessThanOrEqual(4);
  const offers = await gateway.database.query<{ max: string }>('select max(max_fee_wei) as max from gateway_attempts');
  expect(BigInt(offers.rows[0]!.max)).toBeLessThanOrEqual(50n * gwei);
});

test('killed while pending with the nonce moved outside: the operations go out again at a nonce of their own', async () => {
  await open();
  const pipeline = gateway.start({ settings: { ...settings, confirmations: 2 } });
  const pending = await enterBy(0);
  await gateway.reached(pending, 'sent');
  await pipeline.close();
  await dropFromPool(pending);
  await useKeyElsewhere(0);
  await gateway.mine();
  gateway.start({ settings: { ...settings, confirmations: 2 } });
  const next = await enterBy(1);
  expect(await gateway.mineUntil([next], ['mined'], 3)).toBeLessThanOrEqual(3);
  await gateway.mineUntil([pending, next], ['confirmed'], 8);
  expect(await batchCount('abandoned')).toBe(1);
  const { rows } = await gateway.database.query<{ reason: string }>(`select reason from gateway_batches where state = 'abandoned'`);
  expect(rows[0]!.reason).toMatch(/^nonce 0 was used by transaction 0x[0-9a-f]{64}, which this gateway did not send$/);
});

test('a revert in estimation retried for ever: what would revert is dropped once with its reason, and the rest goes on', async () => {
  const { chain } = await open();
  let simulations = 0;
  const rpc = interceptRpc(chain.rpc, (call, pass) => {
    if (call.method === 'eth_simulateV1') simulations += 1;
    return pass();
  });
  const expiredAt = await gateway.expiry();
  const doomed = await gateway.submit(chain.operators[1]!, { kind: 'exit', expiredAt });
  const good = await enterBy(0);
  gateway.start({ settings, rpc });
  await gateway.mineUntil([good, doomed], ends, 4);
  expect(await gateway.row(doomed)).toMatchObject({ state: 'failed', reason_code: 'not-active', reason: expect.stringContaining('no longer in the active set') });
  expect((await gateway.row(good)).state).toBe('confirmed');
  expect(simulations).toBeLessThanOrEqual(3);
});

exhaustiveTest('a cancel that blocks followers: what expired while it waited gives its nonce up to the transactions behind it', async () => {
  const { chain } = await open();
  const dead = new Set<unknown>();
  const rpc = interceptRpc(chain.rpc, async ({ method, params }, pass) => (method === 'eth_sendRawTransaction' && dead.has(params[0]) ? null : pass()));
  gateway.start({ settings, rpc });
  const short = await enterBy(0, { expiresIn: 100n });
  await gateway.reached(short, 'sent');
  const { rows } = await gateway.database.query<{ raw: Buffer }>('select raw from gateway_attempts');
  for (const { raw } of rows) dead.add(`0x${raw.toString('hex')}`);
  const follower = await enterBy(1);
  await gateway.reached(follower, 'sent');
  await dropFromPool(short);
  await chain.increaseTime(200);
  await gateway.followed();
  await gateway.mineUntil([short, follower], ends, 12);
  expect((await gateway.row(short)).state).toBe('expired');
  expect((await gateway.row(follower)).state).toBe('confirmed');
  const cancels = await gateway.database.query('select 1 from gateway_attempts where cancels');
  expect(cancels.rowCount).toBe(1);
});

exhaustiveTest('what a key that was taken out has sent: another key ends nothing of it, and it is confirmed when the key is back', async () => {
  const { chain } = await open();
  const first = gateway.start({ settings });
  const short = await enterBy(0, { expiresIn: 100n });
  await gateway.reached(short, 'sent');
  // The row has the state `sent` before the node has the transaction.
  while (await getNonce(chain.rpc, chain.relayer.address, 'pending') === 0) await systemInterfaces.timers.sleep(20);
  await first.close();
  const second = gateway.start({ settings, keys: [chain.deployer.privateKey] });
  await gateway.mine();
  await chain.increaseTime(200);
  const waiting = await enterBy(1, { expiresIn: 100n });
  await gateway.mineUntil([waiting], ends, 8);
  await gateway.mine();
  await gateway.followed();
  expect((await gateway.row(short)).state).toBe('sent');
  await second.close();
  gateway.start({ settings });
  await gateway.mineUntil([short], ends, 8);
  expect((await gateway.row(short)).state).toBe('confirmed');
});

test('no writer for longer than the followed blocks: what was mined meanwhile is confirmed', async () => {
  const { chain } = await open();
  const first = gateway.start({ settings });
  const mined = await enterBy(0);
  await gateway.reached(mined, 'sent');
  await first.close();
  await chain.rpc.request('anvil_mine', ['0x80']);
  gateway.start({ settings });
  const next = await enterBy(1);
  await gateway.mineUntil([mined, next], ['confirmed'], 5);
  expect(await batchCount('confirmed')).toBe(2);
});

exhaustiveTest('no writer for longer than the followed blocks, and the nonce used elsewhere: the operations go out again at another nonce', async () => {
  const { chain } = await open();
  const first = gateway.start({ settings });
  const displaced = await enterBy(0);
  await gateway.reached(displaced, 'sent');
  await first.close();
  await dropFromPool(displaced);
  await useKeyElsewhere(0);
  await chain.rpc.request('anvil_mine', ['0x80']);
  gateway.start({ settings });
  await gateway.mineUntil([displaced], ['confirmed'], 6);
  expect(await batchCount('abandoned')).toBe(1);
});

exhaustiveTest('an RPC behind a balancer that loses a block: its rumours change nothing, and each operation takes effect once', async () => {
  const { chain } = await open(6);
  let calls = 0;
  let first: unknown = null;
  const rpc = interceptRpc(chain.rpc, async ({ method, params }, pass) => {
    calls += 1;
    // Not every third call: with six calls per step, each question for the newest block would go astray.
    const astray = (Math.imul(calls, 2_654_435_761) >>> 16) % 3 === 0;
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') {
      const block = await pass();
      first ??= block;
      return astray ? first : block;
    }
    if (astray && method === 'eth_getTransactionReceipt') return null;
    if (astray && method === 'eth_getTransactionCount') throw refused(method, 'header not found', -32000);
    if (astray && method === 'eth_sendRawTransaction') throw refused(method, calls % 2 === 0 ? 'nonce too low' : 'nonce too high');
    return pass();
  });
  gateway.start({ settings, rpc });
  const ids: string[] = [];
  for (let place = 0; place < 6; place += 1) {
    ids.push(await enterBy(place));
    await gateway.mine();
    await systemInterfaces.timers.sleep(200);
  }
  const heads = setInterval(() => void gateway.mine().catch(() => {}), 300);
  try {
    const rows = await gateway.ended(ids);
    expect(rows.map(({ state }) => state)).toEqual(ids.map(() => 'confirmed'));
  } finally {
    clearInterval(heads);
  }
  expect(await batchCount('abandoned')).toBe(0);
  expect(await getNonce(chain.rpc, chain.relayer.address)).toBe(await batchCount('confirmed'));
});
