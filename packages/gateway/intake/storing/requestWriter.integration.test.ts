import type { Connection, Database } from '@vouch/platform/database/database';
import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { Problem } from '@vouch/platform/errors/problem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { NewRequest, StoredRequest } from '../../requests/requestStore.ts';
import { RequestFinder } from './requestFinder.ts';
import { RequestWriter } from './requestWriter.ts';
import { reservedGas, utcDay } from '../../budgets/budget.ts';
import { BudgetPolicies } from '../../budgets/budgetPolicy.ts';
import { setBudgets } from '../../budgets/budgetStore.ts';
import { SignerQuotas } from './signerQuotas.ts';
import { SpendingLedger } from './spendingLedger.ts';
import { openGatewayDatabase, shareDatabases } from '../../testing/sharedDatabase.ts';

shareDatabases();

const deployment = '31337:0xservice:0123456789abcdef';
const service = '31337:0xservice';
const hour = 3_600_000;
const clock = { ms: 400_000 * hour + 1_000, now: () => clock.ms };
const system = { clock, elapsedMs: () => clock.ms };
let database: TestDatabase;
let statements: string[];
/** The database with a record of each statement about requests. */
let noted: Database;

beforeEach(async () => {
  database = await openGatewayDatabase();
  statements = [];
  const note = (on: Connection): Connection => ({ query: (sql, values) => {
    if (sql.includes('gateway_requests')) statements.push(sql);
    return on.query(sql, values);
  } });
  noted = { ...database, ...note(database), transaction: (work) => database.transaction((transaction) => work(note(transaction))) };
});
afterEach(() => database.close());

let made = 0;
/** Today's budget counters by `budgetKey`. */
async function counted(of = deployment): Promise<Record<string, [reserved: number, spent: number]>> {
  const { rows: found } = await database.query<{ name: string; reserved: string; spent: string }>(
    `SELECT scope || ' ' || subject || ' ' || kind AS name, reserved_gas AS reserved, spent_gas AS spent FROM gateway_spending
     WHERE deployment = $1 AND day = $2::date ORDER BY 1`, [of, utcDay(clock.now())]);
  return Object.fromEntries(found.map(({ name, reserved, spent }) => [name, [Number(reserved), Number(spent)]]));
}

function message(signer = 1, digest = ++made, changes: Partial<NewRequest> = {}): NewRequest {
  const at = new Date(clock.now());
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(digest, 0);
  return {
    requestId: `gw_${++made}`, operation: { kind: 'exit', expiredAt: 1n }, digest: bytes, signer: Buffer.alloc(20, signer),
    signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}` }, client: { origin: 'é"\\', user_agent: null, app_id: null, dialect: 'field' },
    deadline: at, receivedAt: at, verifiedAt: at, verifiedBlock: 1, unchanged: null, ...changes,
  };
}

function writerWith(limit: number, on: Database = noted): { writer: RequestWriter; quotas: SignerQuotas; wakes: { count: number } } {
  const quotas = new SignerQuotas(limit, system);
  const wakes = { count: 0 };
  const ledger = new SpendingLedger(new BudgetPolicies(on, system, service), system, () => {});
  return { writer: new RequestWriter(on, quotas, ledger, () => { wakes.count++; }), quotas, wakes };
}

async function rows(): Promise<{ request_id: string; sequence: string }[]> {
  return (await database.query<{ request_id: string; sequence: string }>('SELECT request_id, sequence FROM gateway_requests ORDER BY sequence')).rows;
}

const reasonOf = (result: PromiseSettledResult<StoredRequest>): string =>
  result.status === 'fulfilled' ? 'stored' : result.reason instanceof Problem ? result.reason.code : String(result.reason);

/** Sets budgets that no other test reaches. */
async function openBudgets(): Promise<void> {
  for (const scope of ['signer', 'license', 'total'] as const) await setBudgets(database, service, { scope, subject: '' }, { exit: 1e12 }, new Date());
}

describe('messages that come together', () => {
  beforeEach(openBudgets);

  it('are stored in their order, many in one statement, and wake whoever sends them', async () => {
    const { writer, wakes } = writerWith(0);
    const requests = Array.from({ length: 1_200 }, (_, at) => message(at % 50));
    const stored = await Promise.all(requests.map((request) => writer.write(deployment, request)));
    expect(stored.map(({ requestId, repeated, state }) => [requestId, repeated, state])).toEqual(requests.map(({ requestId }) => [requestId, false, 'verified']));
    expect((await rows()).map(({ request_id: id }) => id)).toEqual(requests.map(({ requestId }) => requestId));
    expect(statements.length).toBeLessThanOrEqual(4);
    expect(wakes.count).toBe(statements.length);
  });

  it('and are the same are stored once, each answered with the first id', async () => {
    const { writer } = writerWith(0);
    const first = message(3, 77_777);
    const stored = await Promise.all([first, message(3, 77_777), message(4, 77_777), message(3, 77_777)].map((request) => writer.write(deployment, request)));
    expect(stored.map(({ requestId, repeated }) => [requestId === first.requestId, repeated])).toEqual([[true, false], [true, true], [false, false], [true, true]]);
    expect(await writer.write(deployment, message(3, 77_777))).toMatchObject({ requestId: first.requestId, repeated: true });
    expect((await writer.write('31337:0xother:0', message(3, 77_777))).requestId).not.toBe(first.requestId);
    expect(await rows()).toHaveLength(3);
  });

  exhaustiveTest('to two processes at once, in opposite orders, are each stored once', async () => {
    const [one, other] = [writerWith(0, database), writerWith(0, database)];
    for (let round = 0; round < 10; round++) {
      const digests = Array.from({ length: 40 }, () => 100_000 + ++made);
      const results = await Promise.all([
        ...digests.map((digest) => one.writer.write(deployment, message(1, digest))),
        ...digests.toReversed().map((digest) => other.writer.write(deployment, message(1, digest))),
      ]);
      expect(new Set(results.map(({ requestId }) => requestId)).size).toBe(40);
    }
    expect(await rows()).toHaveLength(400);
  });

  it('beyond what can wait are refused, and none of those that wait is lost', async () => {
    const { writer } = writerWith(0);
    let release = (): void => {};
    // Made before the lock: the lock can be seen before its transaction hears of it.
    const released = new Promise<void>((free) => { release = free; });
    const held = database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE gateway_requests IN ACCESS EXCLUSIVE MODE');
      await released;
    });
    await expect.poll(async () => (await database.query<{ held: boolean }>(
      `SELECT count(*) > 0 AS held FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'gateway_requests'::regclass AND granted`)).rows[0]?.held).toBe(true);
    const writes: Promise<StoredRequest>[] = [];
    let refusal: unknown = null;
    while (refusal === null && writes.length < 20_000) {
      try {
        writes.push(writer.write(deployment, message()));
      } catch (error) {
        refusal = error;
      }
      if (writes.length % 1_000 === 0) await new Promise(setImmediate);
    }
    expect(refusal).toMatchObject({ code: 'gateway-overloaded', headers: { 'retry-after': '2' } });
    release();
    await held;
    await Promise.all(writes);
    expect(await rows()).toHaveLength(writes.length);
  });
});

describe('a quota', () => {
  beforeEach(openBudgets);

  it('holds for messages that come together, leaves repeats out, and is another one for each signer', async () => {
    const { writer } = writerWith(5);
    const given = [...Array.from({ length: 8 }, () => message(1)), ...Array.from({ length: 3 }, () => message(2))];
    const results = (await Promise.allSettled(given.map((request) => writer.write(deployment, request)))).map(reasonOf);
    expect(results).toEqual([...Array(5).fill('stored'), ...Array(3).fill('quota'), ...Array(3).fill('stored')]);
    // Anyone can repeat a message they have seen, so a repeat must not use the signer's quota.
    for (let round = 0; round < 4; round++) await Promise.all(given.slice(8).map((request) => writer.write(deployment, request)));
    const rest = (await Promise.allSettled(Array.from({ length: 3 }, () => writer.write(deployment, message(2))))).map(reasonOf);
    expect(rest).toEqual(['stored', 'stored', 'quota']);
    expect((await Promise.allSettled([writer.write(deployment, given[0]!)])).map(reasonOf)).toEqual(['stored']);
  });

  it('holds over a restart, and begins anew with the hour', async () => {
    await Promise.all(Array.from({ length: 4 }, () => writerWith(5).writer.write(deployment, message(1))));
    const { writer, quotas } = writerWith(5);
    const results = (await Promise.allSettled(Array.from({ length: 3 }, () => writer.write(deployment, message(1))))).map(reasonOf);
    expect(results).toEqual(['stored', 'quota', 'quota']);
    expect(() => quotas.check(Buffer.alloc(20, 1))).toThrow(Problem);
    clock.ms += hour;
    expect((await writer.write(deployment, message(1))).repeated).toBe(false);
  });
});

describe('a budget', () => {
  const exit = reservedGas.exit;
  const toBudget = (scope: 'signer' | 'license' | 'total', messages: number, subject = ''): Promise<void> =>
    setBudgets(database, service, { scope, subject }, { exit: messages * exit }, new Date());
  const write = async (writer: RequestWriter, requests: readonly NewRequest[]): Promise<string[]> =>
    (await Promise.allSettled(requests.map((request) => writer.write(deployment, request)))).map(reasonOf);

  it('holds for a signer, for a license whoever it backs, and for all together, and says when it begins anew', async () => {
    await toBudget('signer', 3);
    await toBudget('license', 4);
    await toBudget('total', 6);
    const { writer } = writerWith(0);
    expect(await write(writer, Array.from({ length: 5 }, () => message(1, ++made, { license: '7' })))).toEqual(['stored', 'stored', 'stored', 'quota', 'quota']);
    // The license moved to another key, which has its own signer budget but uses the license's budget.
    expect(await write(writer, Array.from({ length: 2 }, () => message(2, ++made, { license: '7' })))).toEqual(['stored', 'quota']);
    expect(await write(writer, Array.from({ length: 3 }, () => message(3, ++made, { license: '8' })))).toEqual(['stored', 'stored', 'quota']);
    const name = (byte: string): string => `signer 0x${byte.repeat(20)} exit`;
    expect(await counted()).toEqual({
      'license 7 exit': [4 * exit, 0], 'license 8 exit': [2 * exit, 0], [name('01')]: [3 * exit, 0], [name('02')]: [exit, 0], [name('03')]: [2 * exit, 0],
      'total  exit': [6 * exit, 0],
    });
    const [refused] = await Promise.allSettled([writer.write(deployment, message(1))]);
    // All gas is reserved and none spent, so a retry can succeed long before the day ends.
    expect(refused).toMatchObject({ reason: { code: 'quota', headers: { 'retry-after': '60' } } });
    await database.query('UPDATE gateway_spending SET spent_gas = reserved_gas, reserved_gas = 0');
    const [spent] = await Promise.allSettled([writer.write(deployment, message(1))]);
    const left = String(Math.ceil((24 * hour - (clock.now() % (24 * hour))) / 1_000));
    expect(spent).toMatchObject({ reason: { code: 'quota', headers: { 'retry-after': left } } });
    expect((spent as PromiseRejectedResult).reason).toHaveProperty('detail', expect.stringMatching(new RegExp(`${3 * exit} gas per day for exit messages; ${3 * exit} gas is spent, .*T00:00:00Z.* in ${left} s`)));
    clock.ms += 24 * hour;
    expect(await write(writer, [message(1)])).toEqual(['stored']);
  });

  it('is shared by processes to the unit: of what they accept at once, no message is too many', async () => {
    await toBudget('total', 50);
    await toBudget('signer', 1_000);
    const writers = Array.from({ length: 4 }, () => writerWith(0, database).writer);
    const results = await Promise.all(Array.from({ length: 25 }, () => writers.map((writer, at) => write(writer, [message(at + 1)]))).flat());
    expect(results.flat().filter((each) => each === 'stored')).toHaveLength(50);
    expect((await counted())['total  exit']).toEqual([50 * exit, 0]);
    expect(await rows()).toHaveLength(50);
  });

  it('takes nothing for repeats, nor for messages that change nothing', async () => {
    await toBudget('signer', 2);
    const { writer } = writerWith(0);
    const first = message(1);
    for (let round = 0; round < 5; round++) expect(await write(writer, [first, first])).toEqual(['stored', 'stored']);
    expect(await write(writer, Array.from({ length: 5 }, () => message(1, ++made, { unchanged: 'It is so already.' })))).toEqual(Array(5).fill('stored'));
    expect((await counted())['total  exit']).toEqual([exit, 0]);
  });

  it('is not held by repeats beside messages that have no place: what fits beside them is stored', async () => {
    await toBudget('signer', 2);
    const { writer } = writerWith(0);
    const first = message(1);
    await write(writer, [first]);
    expect(await write(writer, [first, message(1), message(1)])).toEqual(['stored', 'stored', 'quota']);
    expect((await counted())['total  exit']).toEqual([2 * exit, 0]);
  });

  it('is changed while it runs, for one subject too', async () => {
    await toBudget('signer', 1);
    const { writer } = writerWith(0);
    expect(await write(writer, [message(1), message(1), message(2), message(2)])).toEqual(['stored', 'quota', 'stored', 'quota']);
    await toBudget('signer', 3, `0x${'01'.repeat(20)}`);
    clock.ms += 2_000;
    expect(await write(writer, [message(1), message(1), message(1), message(2)])).toEqual(['stored', 'stored', 'quota', 'quota']);
  });

  it('is forgotten a month later, except where messages still hold gas of it', async () => {
    const old = (day: string, reserved: number) => database.query(
      `INSERT INTO gateway_spending (deployment, day, scope, subject, kind, reserved_gas, spent_gas) VALUES ($1, $2::date, 'total', '', 'exit', $3, 5)`, [deployment, day, reserved]);
    const [month, longer, held] = [30, 40, 50].map((days) => utcDay(clock.now() - days * 24 * hour)) as [string, string, string];
    await Promise.all([old(month, 0), old(longer, 0), old(held, 7)]);
    await write(writerWith(0).writer, [message(1)]);
    const { rows: left } = await database.query<{ day: string }>(`SELECT DISTINCT day::text AS day FROM gateway_spending ORDER BY 1`);
    expect(left.map(({ day }) => day)).toEqual([held, month, utcDay(clock.now())]);
  });

  it('holds exactly what is stored when a commit fails', async () => {
    await toBudget('signer', 1);
    // A message beyond the budget makes the writer check each message in a transaction.
    const { writer } = writerWith(0, { ...database, transaction: (work) => database.transaction(async (transaction) => {
      await work(transaction);
      throw new Error('the process dies before the commit');
    }) });
    expect(await write(writer, [message(1), message(1)])).toEqual(Array(2).fill('Error: the process dies before the commit'));
    expect([await counted(), await rows()]).toEqual([{}, []]);
  });
});

describe('a message that ended badly', () => {
  it('is opened again at the end of the queue, where the quota has a place', async () => {
    await openBudgets();
    const { writer } = writerWith(3);
    const [first, second] = [message(1), message(1)];
    await Promise.all([first, second].map((request) => writer.write(deployment, request)));
    await database.query(`UPDATE gateway_requests SET state = 'failed', reason_code = 'x', reason = 'x', ended_at = now(), batch_id = 'b', gas_used = 1 WHERE request_id = $1`, [first.requestId]);
    expect(await writer.write(deployment, { ...first, requestId: 'gw_other' })).toEqual({ requestId: first.requestId, state: 'verified', batchId: null, repeated: true });
    expect((await rows()).map(({ request_id: id }) => id)).toEqual([second.requestId, first.requestId]);
    await database.query(`UPDATE gateway_requests SET state = 'expired' WHERE request_id = $1`, [first.requestId]);
    expect((await Promise.allSettled([writer.write(deployment, first)])).map(reasonOf)).toEqual(['quota']);
  });
});

describe('what is looked up', () => {
  it('is found in one statement for all that ask at once', async () => {
    await openBudgets();
    const { writer } = writerWith(0);
    const requests = Array.from({ length: 30 }, () => message());
    await Promise.all(requests.map((request) => writer.write(deployment, request)));
    statements.length = 0;
    const finder = new RequestFinder(noted);
    const found = await Promise.all([...requests, message()].map((request) => finder.find(deployment, request)));
    expect(found.map((each) => each?.requestId ?? null)).toEqual([...requests.map(({ requestId }) => requestId), null]);
    expect(await finder.find('31337:0xother:0', requests[0]!)).toBeNull();
    expect(statements).toHaveLength(2);
  });
});
