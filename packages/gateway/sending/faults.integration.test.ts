import { afterEach, expect, test } from 'vitest';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc, refused, unavailable } from '../testing/testRpc.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

// Faults of a chain and its endpoints: no accepted message may be lost, and the lane's state explains each pause.

const gwei = 10n ** 9n;
const settings = { batch_window_ms: 0 };
let gateway: TestGateway;
afterEach(() => gateway.close());

async function enterBy(place: number): Promise<string> {
  const expiredAt = await gateway.expiry();
  return gateway.submit(gateway.chain.operators[place]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt });
}

async function pauseReason(): Promise<string | null> {
  const { rows } = await gateway.database.query<{ reason: string | null }>('select reason from gateway_lines');
  return rows[0]?.reason ?? null;
}

async function untilPaused(reason: RegExp): Promise<void> {
  while (!reason.test((await pauseReason()) ?? '')) await systemInterfaces.timers.sleep(30);
}

exhaustiveTest('a reorg of three blocks with five confirmations: what vanished is sent again and lands once', async () => {
  gateway = await openTestGateway({ automine: false, operators: 2 });
  // A chain loaded from a state file cannot be reorganized below its first block.
  await gateway.chain.mine(5);
  gateway.start({ settings: { ...settings, confirmations: 5 } });
  const id = await enterBy(0);
  await gateway.reached(id, 'sent');
  await gateway.mineUntil([id], ['mined'], 3);
  await gateway.mine();
  await gateway.followed();
  const before = await gateway.row(id);
  // Replaces the three newest blocks with empty ones; the transaction does not return to the pool.
  await gateway.chain.rpc.request('anvil_reorg', [3, []]);
  await gateway.mine();
  await gateway.reached(id, 'sent');
  expect(await gateway.row(id)).toMatchObject({ mined_at: null, gas_used: null, batch_id: before.batch_id });
  await gateway.mineUntil([id], ['confirmed'], 12);
  const { rows } = await gateway.database.query<{ attempts: number; state: string }>(
    'select count(*)::int as attempts, min(b.state) as state from gateway_attempts join gateway_batches b using (batch_id)');
  expect(rows[0]).toEqual({ attempts: 1, state: 'confirmed' });
});

exhaustiveTest('one step that fails is retried without a pause, two in a row are a pause', async () => {
  gateway = await openTestGateway({ operators: 1 });
  // Records every state that anybody could have read.
  await gateway.database.query(`CREATE TABLE seen_states (state text);
    CREATE FUNCTION see_state() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO seen_states VALUES (NEW.state); RETURN NEW; END';
    CREATE TRIGGER see_state AFTER INSERT OR UPDATE ON gateway_lines FOR EACH ROW EXECUTE FUNCTION see_state()`);
  let failing = 0;
  const rpc = interceptRpc(gateway.chain.rpc, ({ method, params }, pass) => {
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || failing === 0) return pass();
    failing -= 1;
    return Promise.reject(unavailable(method));
  });
  const states = async () => (await gateway.database.query<{ state: string }>('SELECT DISTINCT state FROM seen_states')).rows.map(({ state }) => state);
  const untilSeen = async (state: string) => {
    while (!(await states()).includes(state)) await systemInterfaces.timers.sleep(30);
  };
  gateway.start({ settings, rpc });
  await untilSeen('running');
  failing = 1;
  await expect.poll(() => failing).toBe(0);
  await gateway.ended([await enterBy(0)]);
  expect(await states()).toEqual(['running']);
  failing = 2;
  await untilSeen('paused');
  await gateway.database.query('TRUNCATE seen_states');
  await untilSeen('running');
});

exhaustiveTest('dropped transactions: what a node forgets is given to it again', async () => {
  gateway = await openTestGateway({ automine: false, operators: 4 });
  gateway.start({ settings });
  const ids = [];
  for (let place = 0; place < 4; place += 1) ids.push(await gateway.reached(await enterBy(place), 'sent').then((row) => row.request_id));
  await gateway.chain.rpc.request('anvil_dropAllTransactions', []);
  await gateway.mineUntil(ids, ['confirmed'], 8);
});

test('a base fee above the offer of the waiting transaction: it is replaced by one that offers enough, under the cap', async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  gateway.start({ settings });
  const id = await enterBy(0);
  await gateway.reached(id, 'sent');
  const attempts = async (): Promise<{ max: string; tip: string }[]> =>
    (await gateway.database.query<{ max: string; tip: string }>('select max_fee_wei as max, priority_fee_wei as tip from gateway_attempts order by created_at')).rows;
  const [offered] = await attempts();
  await gateway.chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${(BigInt(offered!.max) * 3n).toString(16)}`]);
  await gateway.mineUntil([id], ['confirmed'], 10);
  const rows = await attempts();
  expect(rows.length).toBeGreaterThan(1);
  for (const [place, { max, tip }] of rows.slice(1).entries()) {
    expect(BigInt(max) * 1000n).toBeGreaterThanOrEqual(BigInt(rows[place]!.max) * 1125n);
    expect(BigInt(tip) * 1000n).toBeGreaterThanOrEqual(BigInt(rows[place]!.tip) * 1125n);
    expect(BigInt(max)).toBeLessThanOrEqual(100n * gwei);
  }
});

exhaustiveTest('an RPC that is away for a while: everything waits with the reason, and goes on when it is back', async () => {
  gateway = await openTestGateway({ operators: 3 });
  let away = true;
  const rpc = interceptRpc(gateway.chain.rpc, ({ method }, pass) => (away ? Promise.reject(unavailable(method)) : pass()));
  gateway.start({ settings, rpc });
  const first = await enterBy(0);
  await untilPaused(/^The chain cannot be read: /);
  const second = await enterBy(1);
  expect([(await gateway.row(first)).state, (await gateway.row(second)).state]).toEqual(['verified', 'verified']);
  away = false;
  const third = await gateway.reached(first, 'sent', 'mined', 'confirmed').then(() => enterBy(2));
  away = true;
  await untilPaused(/^The chain cannot be read: /);
  away = false;
  expect((await gateway.ended([first, second, third])).map(({ state }) => state)).toEqual(['confirmed', 'confirmed', 'confirmed']);
  expect(await pauseReason()).toBeNull();
});

exhaustiveTest('an RPC that falls silent while a batch is composed: neither the cleanup of the batch nor the retries prolong the lease', async () => {
  gateway = await openTestGateway({ operators: 1 });
  const { database } = gateway;
  const now = async () => (await database.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]!.now;
  const isRenewedAfter = async (time: string) => (await database.query('select 1 from leases where renewed_at > $1', [time])).rowCount === 1;
  const cut: { failedAt: string | null } = { failedAt: null };
  const rpc = interceptRpc(gateway.chain.rpc, async ({ method }, pass) => {
    if (cut.failedAt === null && method !== 'eth_simulateV1') return pass();
    if (cut.failedAt === null) {
      // The next renewal uses up the progress of before.
      const silentAt = await now();
      while (!(await isRenewedAfter(silentAt))) await systemInterfaces.timers.sleep(30);
      cut.failedAt = await now();
    }
    throw unavailable(method);
  });
  gateway.start({ settings, rpc });
  await enterBy(0);
  while (cut.failedAt === null) await systemInterfaces.timers.sleep(30);
  // Three renewals are due in this time, and three retries.
  await systemInterfaces.timers.sleep(3_000);
  expect(await isRenewedAfter(cut.failedAt)).toBe(false);
});

test('an RPC that is away for a moment of an idle hour: it is asked again with the next step, not when the next look is due', async () => {
  gateway = await openTestGateway({ automine: false });
  let away = true;
  const rpc = interceptRpc(gateway.chain.rpc, ({ method }, pass) => (away ? Promise.reject(unavailable(method)) : pass()));
  const stoodStill = Date.now();
  gateway.start({ settings, rpc, now: () => stoodStill });
  await untilPaused(/^The chain cannot be read/);
  away = false;
  while ((await pauseReason()) !== null) await systemInterfaces.timers.sleep(30);
});

exhaustiveTest('a check of the served chain that fails once in an idle hour: the key runs again with the next step, not when the next look is due', async () => {
  gateway = await openTestGateway({ automine: false });
  let away = false;
  const stoodStill = Date.now();
  gateway.start({
    settings, now: () => stoodStill,
    served: () => {
      if (away) throw unavailable('eth_chainId');
      return gateway.deployment;
    },
  });
  await gateway.followed();
  while ((await gateway.database.query(`select 1 from gateway_lines where state = 'running'`)).rowCount === 0) await systemInterfaces.timers.sleep(30);
  away = true;
  await untilPaused(/^The chain cannot be read/);
  away = false;
  while ((await pauseReason()) !== null) await systemInterfaces.timers.sleep(30);
});

exhaustiveTest('late answers: each comes when the world has moved on, and nothing is done twice', async () => {
  gateway = await openTestGateway({ operators: 4 });
  let calls = 0;
  const rpc = interceptRpc(gateway.chain.rpc, async (_call, pass) => {
    const answer = await pass();
    if (++calls % 4 === 0) await systemInterfaces.timers.sleep(800);
    return answer;
  });
  gateway.start({ settings, rpc });
  const ids = await Promise.all([0, 1, 2, 3].map(enterBy));
  expect((await gateway.ended(ids)).map(({ state }) => state)).toEqual(ids.map(() => 'confirmed'));
});

exhaustiveTest('an RPC that contradicts itself: two answers for two chains never move a nonce or a confirmation', async () => {
  gateway = await openTestGateway({ operators: 4 });
  let calls = 0;
  const forked = (block: Record<string, unknown>) => ({ ...block, hash: `0x${'f0'.repeat(32)}` });
  const rpc = interceptRpc(gateway.chain.rpc, async ({ method, params }, pass) => {
    const odd = ++calls % 5 === 0;
    if (odd && method === 'eth_getBlockByNumber') return forked((await pass()) as Record<string, unknown>);
    if (odd && method === 'eth_getTransactionReceipt') return null;
    if (calls % 7 === 0 && method === 'eth_getTransactionCount') return '0x0';
    if (odd && method === 'eth_sendRawTransaction') {
      await pass();
      throw refused(method, 'nonce too low: next nonce 99, tx nonce 1');
    }
    if (calls % 11 === 0 && params.length > 0 && method === 'eth_simulateV1') throw unavailable(method);
    return pass();
  });
  gateway.start({ settings: { ...settings, confirmations: 3 }, rpc });
  const ids: string[] = [];
  for (let place = 0; place < 4; place += 1) {
    ids.push(await enterBy(place));
    await systemInterfaces.timers.sleep(700);
  }
  expect((await gateway.ended(ids)).map(({ state }) => state)).toEqual(ids.map(() => 'confirmed'));
});

test('out of funds: nothing new is sent, with the sum that is missing, and it goes on when the key has it', async () => {
  gateway = await openTestGateway({ operators: 2 });
  const { chain } = gateway;
  // One wei less than required: the two sums differ in print.
  await chain.setBalance(chain.relayer.address, 10n ** 16n - 1n);
  gateway.start({ settings });
  const id = await enterBy(0);
  await untilPaused(/^The key has 0\.009999999999999999 ETH and needs 0\.01: the key sends no new transactions until then\. Send ether to 0x[0-9a-f]{40}\.$/);
  expect((await gateway.row(id)).state).toBe('verified');
  await chain.setBalance(chain.relayer.address, 10n ** 18n);
  expect((await gateway.ended([id]))[0]!.state).toBe('confirmed');
});
