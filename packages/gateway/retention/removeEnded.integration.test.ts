import type { Transactor } from '@vouch/platform/database/database';
import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { Registry } from 'prom-client';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { describeRequest } from '../records/requestRecord.ts';
import { loadGasBill } from '../records/gasBill.ts';
import { everyDeployment } from '../requests/rowScope.ts';
import { endedDeployment, storeEnded } from '../testing/storeEnded.ts';
import { openGatewayDatabase, shareDatabases } from '../testing/sharedDatabase.ts';
import { removeEnded, type Removed } from './removeEnded.ts';
import { createRetention, createRowTidier } from './tidyRows.ts';
import { addTotals, loadTotals, type Total } from './totalsStore.ts';

shareDatabases();

const deployment = endedDeployment;
const dayMs = 86_400_000;
const now = Date.UTC(2026, 5, 15, 12);
const ago = (days: number): Date => new Date(now - days * dayMs);

let database: TestDatabase;
beforeEach(async () => {
  await database?.close();
  database = await openGatewayDatabase();
});
afterAll(() => database.close());

/** Stores transactions of two messages each, one per day, the last one `newest` days ago. */
async function fill(transactions: number, newest: number): Promise<void> {
  await storeEnded(database, { transactions, messagesEach: 2, newest: ago(newest), everyMs: dayMs });
  while (await addTotals(database, 100) > 0);
}

async function removeAll(before: Date): Promise<Removed> {
  const all: Removed = { messages: 0, transactions: 0 };
  for (;;) {
    const { messages, transactions } = await removeEnded(database, before);
    if (messages + transactions === 0) return all;
    all.messages += messages;
    all.transactions += transactions;
  }
}

const count = async (table: string): Promise<number> => (await database.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]!.n;
const sums = async (): Promise<{ messages: number; gas: bigint; wei: bigint }> => {
  const { rows } = await loadGasBill(database, everyDeployment, { from: new Date(0), to: new Date('2100-01-01') });
  return rows.reduce((all, { messages, gas, wei }) => ({ messages: all.messages + messages, gas: all.gas + gas, wei: all.wei + wei }), { messages: 0, gas: 0n, wei: 0n });
};
const totals = async (): Promise<Total[]> => (await loadTotals(database, deployment)).toSorted((a, b) => (a.state < b.state ? -1 : 1));

it('what ended long ago is removed with all its rows; bills of whole days and totals stay the same to the wei', async () => {
  await fill(120, 0);
  const range = { from: ago(110), to: ago(95) };
  const midnights = { from: new Date(Date.UTC(2026, 1, 1)), to: new Date(Date.UTC(2026, 3, 1)) };
  const before = { sums: await sums(), totals: await totals(), bill: (await loadGasBill(database, everyDeployment, midnights)).rows };
  expect(before.bill.length).toBeGreaterThan(0);
  expect((await loadGasBill(database, everyDeployment, range)).byDayBefore).toBeNull();
  expect(await removeAll(ago(90))).toEqual({ messages: 58, transactions: 29 });
  expect({ sums: await sums(), totals: await totals(), bill: (await loadGasBill(database, everyDeployment, midnights)).rows }).toEqual(before);
  expect((await loadGasBill(database, everyDeployment, range)).byDayBefore).toEqual(new Date(Date.UTC(2026, 2, 17)));
  expect(await Promise.all(['gateway_batches', 'gateway_attempts', 'gateway_members', 'gateway_requests', 'gateway_orders'].map(count))).toEqual([91, 91, 182, 182, 91]);
  await expect(describeRequest(database, 'gw_ended_1_0', now, undefined, 90)).rejects.toThrow('removes the record of a message 90 days after the message has ended');
});

it('nothing is removed that is open, young, named by a reported day or an attestation, not counted, or in the newest block of its key', async () => {
  await fill(10, 200);
  await database.query(`update gateway_requests set state = 'sent', ended_at = null where request_id = 'gw_ended_1_1'`);
  await database.query(`update gateway_requests set ended_at = $1 where request_id = 'gw_ended_2_0'`, [ago(1)]);
  await database.query(`update gateway_batches set state = 'mined', ended_at = null where batch_id = 'gb_ended_3'`);
  await database.query(`insert into gateway_activity (deployment, date, node, batch_id, credited) values ($1, 1, '\\x01', 'gb_ended_4', true)`, [deployment]);
  await database.query(`insert into gateway_attestations (deployment, attestation_id, request_id, seen_at, batch_id) values ($1, $2, 1, 1, 'gb_ended_5')`, [deployment, Buffer.alloc(32)]);
  await database.query(`update gateway_batches set totaled = null where batch_id = 'gb_ended_6'`);
  await database.query(`update gateway_requests set deadline = $1 where request_id = 'gw_ended_7_0'`, [new Date(now + dayMs)]);
  expect(await removeAll(ago(90))).toEqual({ messages: 5, transactions: 3 });
  const left = await database.query<{ id: string }>('select batch_id as id from gateway_batches order by created_at');
  expect(left.rows.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 10].map((place) => `gb_ended_${place}`));
  expect((await database.query<{ id: string }>(`select request_id as id from gateway_requests where request_id like 'gw_ended_7_%'`)).rows).toEqual([{ id: 'gw_ended_7_0' }]);
  await database.query(`update gateway_requests set deadline = $1 where request_id = 'gw_ended_7_0'`, [ago(200)]);
  expect(await removeAll(ago(90))).toEqual({ messages: 1, transactions: 0 });
});

it.each([['before the first ANALYZE', false], ['after it', true]])('a step reads no more rows than it removes, whatever the size of the tables, %s', async (_when, analyze) => {
  await fill(3_000, 100);
  if (analyze) await database.query('analyze');
  let read = Infinity;
  const counted: Transactor = {
    query: database.query,
    transaction: (work) => database.transaction(async (transaction) => {
      const total = async (): Promise<number> => (await transaction.query<{ read: number }>(
        `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables where relname like 'gateway%'`)).rows[0]!.read;
      // The connection may not have reported the reads of its earlier transactions yet.
      const before = await total();
      const result = await work(transaction);
      read = await total() - before;
      return result;
    }),
  };
  expect(await removeEnded(counted, ago(90))).toEqual({ messages: 40, transactions: 20 });
  expect(read).toBeLessThan(1_500);
});

exhaustiveTest('a removal whose connections are ended at random moments loses no sum and leaves no half transaction', async () => {
  await fill(300, 100);
  const before = { sums: await sums(), totals: await totals() };
  let killed = 0;
  for (let round = 0; round < 300 && (await count('gateway_batches')) > 1; round += 1) {
    const session = await database.openSession({ name: 'a removal that is killed' });
    const removing = removeEnded(session, ago(90)).then(() => false, () => true);
    if (round % 2 === 0) {
      await systemInterfaces.timers.sleep(systemInterfaces.random.bytes(1)[0]! / 16);
      await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'a removal that is killed' and datname = current_database()`);
    }
    if (await removing) killed += 1;
    session.close();
    expect({ sums: await sums(), totals: await totals() }).toEqual(before);
  }
  expect(killed).toBeGreaterThan(0);
  expect([await count('gateway_batches'), await count('gateway_requests')]).toEqual([1, 2]);
});

it('the tidier removes everything in turns, counts the rows and logs one line', async () => {
  await storeEnded(database, { transactions: 50, messagesEach: 2, newest: ago(100), everyMs: dayMs });
  const lines: string[] = [];
  const metrics = new Registry();
  const log = createLogger('silent');
  const spied = { ...log, info: (facts: object) => void lines.push(JSON.stringify(facts)) } as unknown as typeof log;
  const tidier = createRowTidier(createRetention(90, metrics));
  for (let turn = 0; turn < 20; turn += 1) await tidier.tidy({ database, log: spied, clock: { now: () => now }, elapsedMs: systemInterfaces.elapsedMs }, new AbortController().signal);
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([{ messages: 98, transactions: 49, before: ago(90).toISOString() }]);
  expect(await metrics.metrics()).toMatch(/^vouch_gateway_removed_total\{what="messages"\} 98\nvouch_gateway_removed_total\{what="transactions"\} 49$/m);
  expect(await count('gateway_batches')).toBe(1);
  await createRowTidier(createRetention(0, new Registry())).tidy({ database, log, clock: { now: () => now + 10_000 * dayMs }, elapsedMs: systemInterfaces.elapsedMs }, new AbortController().signal);
  expect(await count('gateway_batches')).toBe(1);
});

it('a failure does not stop the lane: it is logged, and the removal goes on after a minute', async () => {
  await fill(3, 100);
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (facts: object) => void warned.push(facts) } as unknown as ReturnType<typeof createLogger>;
  let broken = true;
  const failing: Transactor = {
    query: database.query,
    transaction: (work) => (broken ? Promise.reject(new Error('the disk is full')) : database.transaction(work)),
  };
  let passedMs = 0;
  const tidier = createRowTidier(createRetention(90, new Registry()));
  const turn = (): Promise<void> => tidier.tidy({ database: failing, log, clock: { now: () => now }, elapsedMs: () => systemInterfaces.elapsedMs() + passedMs }, new AbortController().signal);
  await turn();
  broken = false;
  await turn();
  expect([warned, await count('gateway_batches')]).toEqual([[{ reason: 'the disk is full' }], 3]);
  passedMs += 60_000;
  await turn();
  expect(await count('gateway_batches')).toBe(1);
});

it('totals count each transaction once, while several processes add them, and their query reads no ended transaction', async () => {
  await storeEnded(database, { transactions: 3_000, messagesEach: 0, newest: ago(1), everyMs: 1_000 });
  const before = await totals();
  expect(before.map(({ state, transactions }) => [state, transactions])).toEqual([['abandoned', 300], ['confirmed', 2_700]]);
  const added = await Promise.all(Array.from({ length: 8 }, () => addTotals(database, 500)));
  expect(added.reduce((sum, each) => sum + each, 0)).toBe(3_000);
  expect(await totals()).toEqual(before);
  await database.query('vacuum analyze gateway_batches');
  const { rows } = await database.query<{ 'QUERY PLAN': string }>(`explain select count(*) from gateway_batches where deployment = '${deployment}' and totaled is null group by state`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('gateway_batches_untotaled');
  expect(plan).not.toContain('Seq Scan');
});
