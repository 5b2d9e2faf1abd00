import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getBlock, getReceipt } from '@vouch/chain/rpc/chainReads';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { findRequest } from '../requests/requestStore.ts';
import { everyDeployment } from '../requests/rowScope.ts';
import { loadGasBill } from '../records/gasBill.ts';
import { toHex } from '../requests/storedOperation.ts';
import { measurePipeline } from './measurePipeline.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { interceptRpc, refused } from '../testing/testRpc.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: TestGateway;
afterEach(() => gateway.close());

/** Submits messages of all kinds, including a report with another node's index and an exit of a node that is not active. */
async function submitMixed(): Promise<{ good: string[]; bad: string[] }> {
  const { chain } = gateway;
  const [first, second, third, fourth, fifth, newcomer, outsider] = chain.operators;
  await gateway.enterAll([first!, second!, third!, fourth!, fifth!]);
  const { attestationIds, chosen } = await gateway.attest(['one', 'two']);
  const expiredAt = await gateway.expiry();
  const reports = chosen.flatMap((address, index) => attestationIds.map((attestationId) => ({
    account: chain.operators.find((each) => each.address === address)!, operation: { kind: 'report' as const, attestationId, result: 0, index },
  })));
  const good = await gateway.submitMany([
    ...reports.slice(1),
    { account: newcomer!, operation: { kind: 'enter', replacedNode: zeroAddress, expiredAt } },
    { account: newcomer!, operation: { kind: 'commission', commissionRate: 300, expiredAt } },
    { account: second!, operation: { kind: 'claimer', claimer: first!.address, expiredAt } },
    { account: third!, operation: { kind: 'exit', expiredAt } },
  ]);
  const bad = await gateway.submitMany([
    { account: outsider!, operation: { kind: 'exit', expiredAt } },
    { ...reports[0]!, operation: { ...reports[0]!.operation, index: 77 } },
  ]);
  return { good, bad };
}

async function expectMixed({ good, bad }: { good: string[]; bad: string[] }): Promise<void> {
  const rows = await gateway.ended(good);
  expect(rows.map(({ state, reason }) => ({ state, reason }))).toEqual(good.map(() => ({ state: 'confirmed', reason: null })));
  const [exit, report] = await gateway.ended(bad);
  expect(exit).toMatchObject({ state: 'failed', reason_code: 'not-active' });
  expect(report).toMatchObject({ state: 'failed', reason_code: 'not-chosen' });
}

/** Checks that each receipt's gas is divided among its operations, and that the bill equals the amount paid on-chain. */
async function expectBillOfReceipts(): Promise<void> {
  const { rows } = await gateway.database.query<{ batch_id: string; transaction_hash: Buffer; operations: number }>(
    `select batch_id, transaction_hash, operations from gateway_batches where state = 'confirmed'`);
  expect(rows.length).toBeGreaterThan(0);
  let paid = 0n;
  for (const { batch_id: id, transaction_hash: hash, operations } of rows) {
    const receipt = await getReceipt(gateway.chain.rpc, toHex(hash));
    const shares = await gateway.database.query<{ gas: string; wei: string; count: number }>(
      'select sum(gas_used)::text as gas, sum(cost_wei)::text as wei, count(*)::int as count from gateway_members where batch_id = $1', [id]);
    expect(shares.rows[0]).toEqual({ gas: String(receipt!.gasUsed), wei: String(receipt!.gasUsed * receipt!.effectiveGasPrice), count: operations });
    paid += receipt!.gasUsed * receipt!.effectiveGasPrice;
  }
  const kept = await gateway.database.query(
    `select 1 from gateway_batches join gateway_attempts using (batch_id) where state = 'confirmed' and (calldata is not null or length(raw) > 0)`);
  expect(kept.rows).toEqual([]);
  const { rows: bill } = await loadGasBill(gateway.database, everyDeployment, { from: new Date(0), to: new Date('2100-01-01') });
  expect(bill.reduce((sum, { wei }) => sum + wei, 0n)).toBe(paid);
}

describe('the plain road', () => {
  test('all five operations of several nodes land in one transaction, what would fail is left out with its reason, and the bill sums to the wei', async () => {
    gateway = await openTestGateway({ operators: 7 });
    const mixed = await submitMixed();
    gateway.start();
    await expectMixed(mixed);
    const rows = await Promise.all(mixed.good.map((id) => gateway.row(id)));
    expect(new Set(rows.map(({ batch_id: id }) => id)).size).toBe(1);
    await expectBillOfReceipts();
  });

  exhaustiveTest('against a contract that reverts whole batches, through Multicall3', async () => {
    gateway = await openTestGateway({ operators: 7, serviceBytecode: revertingServiceBytecode });
    const mixed = await submitMixed();
    gateway.start();
    await expectMixed(mixed);
    await expectBillOfReceipts();
  });

  exhaustiveTest.each([['our contract', undefined], ['a reverting one', revertingServiceBytecode]] as const)(
    'by single calls, where a node cannot simulate, against %s', async (_name, serviceBytecode) => {
      gateway = await openTestGateway({ operators: 7, ...(serviceBytecode === undefined ? {} : { serviceBytecode }) });
      const mixed = await submitMixed();
      const rpc = interceptRpc(gateway.chain.rpc, ({ method }, pass) =>
        (method === 'eth_simulateV1' ? Promise.reject(refused(method, 'the method eth_simulateV1 does not exist', -32601)) : pass()));
      gateway.start({ rpc });
      await gateway.ended(mixed.good);
      await expectMixed(mixed);
      await expectBillOfReceipts();
    });
});

test('the metrics tell depth, age, batches, gas, savings with their formula, and balance', async () => {
  gateway = await openTestGateway({ operators: 2 });
  const metrics = new Registry();
  measurePipeline({
    metrics, connection: gateway.database, clock: systemInterfaces.clock, log: createLogger('silent'), name: 'default', deployment: async () => gateway.deployment,
    written: new Map([[gateway.chain.relayer.address, true]]),
  });
  const expiredAt = await gateway.expiry();
  const ids = await gateway.submitMany(gateway.chain.operators.map((account) => ({ account, operation: { kind: 'enter' as const, replacedNode: zeroAddress, expiredAt } })));
  const before = await metrics.metrics();
  expect(before).toContain('vouch_gateway_queue_depth{kind="enter"} 2');
  expect(Number(/^vouch_gateway_oldest_seconds (\S+)/m.exec(before)?.[1])).toBeGreaterThan(0);
  gateway.start();
  await gateway.ended(ids);
  const after = await metrics.metrics();
  expect(after).toContain('vouch_gateway_queue_depth{kind="enter"} 0');
  expect(after).toContain(`vouch_gateway_leader{relayer="${gateway.chain.relayer.address}"} 1`);
  expect(after).toContain(`vouch_gateway_takeovers{relayer="${gateway.chain.relayer.address}"} 1`);
  expect(after).toMatch(new RegExp(`vouch_gateway_lease_age_seconds{relayer="${gateway.chain.relayer.address}"} \\d`));
  expect(after).toContain('vouch_gateway_batches{state="confirmed"} 1');
  expect(after).toContain('minus the gas of all receipts');
  const gas = Number(/^vouch_gateway_gas_used (\S+)/m.exec(after)?.[1]);
  expect(gas).toBeGreaterThan(100_000);
  expect(Number(/^vouch_gateway_gas_saved (\S+)/m.exec(after)?.[1])).toBeGreaterThan(-gas);
  expect(Number(/^vouch_gateway_balance_eth\{relayer="0x[0-9a-f]{40}"\} (\S+)/m.exec(after)?.[1])).toBeGreaterThan(900);
});

exhaustiveTest('a chosen node reports through the gateway although it left the active set during the report window', async () => {
  gateway = await openTestGateway({ operators: 2 });
  const [leaver] = gateway.chain.operators;
  await gateway.enterAll([...gateway.chain.operators]);
  const { attestationIds, chosen } = await gateway.attest(['judged by a node that has left']);
  gateway.start({ settings: { batch_window_ms: 0 } });
  const exit = await gateway.submit(leaver!, { kind: 'exit', expiredAt: await gateway.expiry() });
  expect((await gateway.ended([exit]))[0]).toMatchObject({ state: 'confirmed' });
  const report = await gateway.submit(leaver!, { kind: 'report', attestationId: attestationIds[0]!, result: 0, index: chosen.indexOf(leaver!.address) });
  expect((await gateway.ended([report]))[0]).toMatchObject({ state: 'confirmed', reason: null });
});

exhaustiveTest('the writer removes what ended before the retention, and keeps the transaction in the newest block of its key', async () => {
  gateway = await openTestGateway({ operators: 1 });
  const settings = { batch_window_ms: 0 };
  const claim = async (byte: string): Promise<string> => {
    const id = await gateway.submit(gateway.chain.operators[0]!, { kind: 'claimer', claimer: `0x${byte.repeat(20)}`, expiredAt: await gateway.expiry() });
    await gateway.ended([id]);
    return id;
  };
  const first = gateway.start({ settings });
  const [old, newest] = [await claim('a1'), await claim('a2')];
  await first.close();
  const range = { from: new Date(0), to: new Date('2100-01-01') };
  const { rows: bill } = await loadGasBill(gateway.database, everyDeployment, range);
  expect(bill).toMatchObject([{ kind: 'claimer', messages: 2 }]);
  gateway.start({ settings, retentionDays: 90, now: () => Date.now() + 91 * 86_400_000 });
  while (await findRequest(gateway.database, old) !== null) await systemInterfaces.timers.sleep(50);
  expect(await gateway.row(newest)).toMatchObject({ state: 'confirmed' });
  expect(await loadGasBill(gateway.database, everyDeployment, range)).toMatchObject({ rows: bill });
  const young = await claim('a3');
  expect(await gateway.row(young)).toMatchObject({ state: 'confirmed' });
});

test('messages take effect before their deadline, which is a time of the chain, although the clock of the machine steps by an hour', async () => {
  gateway = await openTestGateway({ operators: 1 });
  let stepMs = 3_600_000;
  gateway.start({ now: () => Date.now() + stepMs, elapsedMs: systemInterfaces.elapsedMs });
  const operator = gateway.chain.operators[0]!;
  // One minute and a half after the time of the chain, and an hour before the time of the machine.
  const expiredAt = (await gateway.expiry()) - 3_510n;
  const enter = await gateway.submit(operator, { kind: 'enter', replacedNode: zeroAddress, expiredAt });
  await gateway.reached(enter, 'sent', 'mined', 'confirmed', 'expired');
  stepMs = -3_600_000;
  const exit = await gateway.submit(operator, { kind: 'exit', expiredAt });
  await gateway.reached(exit, 'sent', 'mined', 'confirmed', 'expired');
  stepMs = 3_600_000;
  expect((await gateway.ended([enter, exit])).map(({ state }) => state)).toEqual(['confirmed', 'confirmed']);
});

test('an idle key reads the chain again although the clock of its machine is set back', async () => {
  gateway = await openTestGateway();
  let stepMs = 0;
  gateway.start({ now: () => Date.now() + stepMs, elapsedMs: systemInterfaces.elapsedMs });
  const hasSeen = async (block: number): Promise<boolean> => (await gateway.database.query('select 1 from gateway_lines where head_number >= $1', [block])).rowCount === 1;
  const newest = async (): Promise<number> => (await getBlock(gateway.chain.rpc, 'latest'))!.number;
  const first = await newest();
  await expect.poll(() => hasSeen(first), { timeout: 60_000 }).toBe(true);
  stepMs = -3_600_000;
  await gateway.mine();
  const next = await newest();
  await expect.poll(() => hasSeen(next), { timeout: 60_000 }).toBe(true);
});
