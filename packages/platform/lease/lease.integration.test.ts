import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { connectDatabase } from '../database/connect.ts';
import type { Database } from '../database/database.ts';
import type { TestDatabase } from '../testing/testDatabase.ts';
import { sharedTestDatabase } from '../testing/sharedTestDatabase.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { createLease } from './createLease.ts';
import { LeaseLost, type Lease } from './lease.ts';
import { lockLease, listLeases, takeLease } from './leaseStore.ts';
import { standForLease } from './standForLease.ts';

const log = createLogger('silent');
const openDatabase = sharedTestDatabase();
let database: TestDatabase;
let candidates: Candidate[];

/** A process that stands for the lease `work`, with its own connections. */
interface Candidate {
  database: Database;
  /** The lease; null while this process does not hold it. */
  lease: Lease | null;
  /** Number of times that it became the holder. */
  times: number;
  /** Whether this process is able to do the work. */
  able: boolean;
  /** Whether its work makes progress. */
  busy: boolean;
  close(): Promise<void>;
}

beforeEach(async () => {
  database = await openDatabase();
  await database.query('CREATE TABLE written (by text)');
  candidates = [];
});
afterEach(async () => {
  await Promise.all(candidates.map((candidate) => candidate.close()));
  await database.close();
});

async function stand(): Promise<Candidate> {
  const own = await connectDatabase({ connection: database.connectionString, log, maxConnections: 1 });
  const stopping = new AbortController();
  let standing: Promise<void> = Promise.resolve();
  const candidate: Candidate = {
    database: own, lease: null, times: 0, able: true, busy: true,
    async close() {
      stopping.abort();
      await standing;
      await own.close();
    },
  };
  const ready = async (): Promise<void> => { if (!candidate.able) throw new Error('not now'); };
  standing = standForLease({ database: own, name: 'work', system: systemInterfaces, log, ready, signal: stopping.signal }, async (lease, stopped) => {
    candidate.lease = lease;
    candidate.times += 1;
    for (; !stopped.aborted; await systemInterfaces.timers.sleep(50, stopped)) if (candidate.busy) lease.progress('step');
    candidate.lease = null;
  });
  candidates.push(candidate);
  return candidate;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await systemInterfaces.timers.sleep(20);
}

const write = (lease: Lease | null, by: string): Promise<unknown> | undefined =>
  lease?.transaction((transaction) => transaction.query('INSERT INTO written VALUES ($1)', [by]));

async function written(): Promise<string[]> {
  return (await database.query<{ by: string }>('SELECT by FROM written ORDER BY by')).rows.map(({ by }) => by);
}

/** Starts two candidates, of which the first holds the lease. */
async function two(): Promise<[Candidate, Candidate]> {
  const first = await stand();
  await until(() => first.lease !== null);
  return [first, await stand()];
}

describe('a lease', () => {
  it('has one holder; given back it passes on and counts as no loss', async () => {
    const [first, second] = await two();
    await write(first.lease, 'first');
    await first.close();
    await until(() => second.lease !== null);
    await write(second.lease, 'second');
    expect(await written()).toEqual(['first', 'second']);
    expect(await listLeases(database, 'wor')).toEqual([
      { name: 'work', holder: expect.stringMatching(/\/\d+$/) as string, held: true, ageSeconds: expect.any(Number) as number, takings: 2, lostLately: 0 },
    ]);
  });

  it('lets its holder write in fenced transactions only: the server refuses a statement outside', async () => {
    const [first] = await two();
    await expect(first.lease?.query(`INSERT INTO written VALUES ('outside')`)).rejects.toThrow('read-only transaction');
    expect((await first.lease?.query('SELECT 1 AS n'))?.rows).toEqual([{ n: 1 }]);
    expect(await written()).toEqual([]);
  });

  it('refuses every write of a holder whose fence is an old one, also where that one knows of nothing', async () => {
    const [first] = await two();
    await database.query('UPDATE leases SET fence = gen_random_uuid()');
    await expect(write(first.lease, 'old')).rejects.toThrow(LeaseLost);
    expect(await written()).toEqual([]);
  });

  it('is renewed while a statement of its work runs, but not if the work has failed', async () => {
    const session = await database.openSession({ name: 'a holder' });
    const { lease, renew } = createLease({ name: 'work', fence: systemInterfaces.random.uuid(), session, gone: session.lost, sinceMs: 0, elapsedMs: () => 0 });
    const renewal = (): Promise<string> => renew(() => Promise.resolve(true));
    const running = lease.query('SELECT 1');
    expect([await renewal(), await renewal()]).toEqual(['renewed', 'renewed']);
    lease.failed();
    expect(await renewal()).toBe('withheld');
    await running;
    expect(await renewal()).toBe('withheld');
    lease.progress('step');
    expect(await renewal()).toBe('renewed');
    session.close();
  });

  it('is not taken in the middle of a transaction of its holder, which is whole or not at all', async () => {
    const [first] = await two();
    let taking: Promise<unknown> = Promise.resolve();
    let taken = false;
    await first.lease?.transaction(async (transaction) => {
      taking = database.transaction(async (other) => {
        await other.query('SELECT FROM leases FOR UPDATE');
        taken = true;
      });
      await until(async () => (await database.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)).rowCount === 1);
      await transaction.query(`INSERT INTO written VALUES ('whole')`);
      expect(taken).toBe(false);
    });
    await taking;
    expect(await written()).toEqual(['whole']);
  });

  exhaustiveTest('passes on where its holder makes no progress, whose connection is ended', async () => {
    const [first, second] = await two();
    const old = first.lease;
    first.busy = false;
    first.able = false;
    await until(() => second.lease !== null);
    await expect(write(old, 'old')).rejects.toThrow();
    await write(second.lease, 'second');
    expect(await written()).toEqual(['second']);
    expect(await listLeases(database, 'work')).toMatchObject([{ takings: 2, lostLately: 1 }]);
  });

  it('passes on at once where the server knows the connection of its holder to be closed', async () => {
    const dead = await database.openSession({ name: 'a process that was killed' });
    expect(await lockLease(dead, 'work', 60_000)).toBe(true);
    await dead.transaction((transaction) => takeLease(transaction, 'work', { fence: systemInterfaces.random.uuid(), holder: 'machine/1', leaseMs: 3_600_000 }));
    dead.close();
    const next = await stand();
    // The lease would only be over in one hour.
    await until(() => next.lease !== null);
    expect(await listLeases(database, 'work')).toMatchObject([{ takings: 2, lostLately: 1 }]);
  });

  exhaustiveTest('is taken from a holder that hangs in the middle of a transaction, which comes to nothing', async () => {
    const first = await stand();
    await until(() => first.lease !== null);
    const hanging = first.lease?.transaction(async (transaction) => {
      await transaction.query(`INSERT INTO written VALUES ('hanging')`);
      await new Promise(() => {});
    });
    hanging?.catch(() => {});
    first.able = false;
    const second = await stand();
    await until(() => second.lease !== null);
    await write(second.lease, 'second');
    expect(await written()).toEqual(['second']);
  });

  exhaustiveTest('stays with nobody while nobody could do the work', async () => {
    const [first, second] = await two();
    for (const each of [first, second]) each.able = false;
    first.busy = false;
    await until(() => first.lease === null);
    await until(async () => (await listLeases(database, 'work'))[0]?.held === false);
    expect(second.times).toBe(0);
    second.able = true;
    await until(() => second.lease !== null);
  });
});
