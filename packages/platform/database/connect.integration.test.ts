import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { connectDatabase } from './connect.ts';
import type { Database } from './database.ts';
import { DatabaseFault } from './databaseFault.ts';
import { startPostgres } from './embeddedPostgres.ts';
import { migrate } from './migrate.ts';
import type { TestDatabase } from '../testing/testDatabase.ts';
import { sharedTestDatabase } from '../testing/sharedTestDatabase.ts';

const log = createLogger('silent');
const openDatabase = sharedTestDatabase();
let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'vouch-migrations-'));
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function until(look: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await look())) await systemInterfaces.timers.sleep(10);
}

function another(): Promise<Database> {
  return connectDatabase({ connection: database.connectionString, log, maxConnections: 2 });
}

const cutOthers =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

test('a server that stops before it reads the end of a closed connection is no lost connection', async () => {
  const lines: string[] = [];
  const connected = await connectDatabase({
    connection: database.connectionString, maxConnections: 1, log: createLogger('warn', { write: (line: string) => void lines.push(line) }),
  });
  const { rows: [backend] } = await connected.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const { pid } = backend as { pid: number };
  process.kill(pid, 'SIGSTOP');
  try {
    await connected.close();
    await database.query('SELECT pg_terminate_backend($1)', [pid]);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await until(async () => (await database.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 0);
  await systemInterfaces.timers.sleep(100);
  expect(lines).toEqual([]);
});

test('a transaction takes place as a whole or not at all', async () => {
  await database.query('CREATE TABLE t (n int PRIMARY KEY)');
  await database.transaction((transaction) => transaction.query('INSERT INTO t VALUES (1)'));
  await expect(database.transaction(async (transaction) => {
    await transaction.query('INSERT INTO t VALUES (2)');
    throw new Error('changed my mind');
  })).rejects.toThrow('changed my mind');
  expect((await database.query('SELECT n FROM t')).rows).toEqual([{ n: 1 }]);
});

test('a transaction with a failed statement that was swallowed does not pretend to be committed', async () => {
  await database.query('CREATE TABLE t (n int PRIMARY KEY)');
  await expect(database.transaction(async (transaction) => {
    await transaction.query('INSERT INTO t VALUES (1)');
    await transaction.query('INSERT INTO t VALUES (1)').catch(() => {});
  })).rejects.toThrow('rolled back');
  expect((await database.query('SELECT n FROM t')).rows).toEqual([]);
});

test('a query of a transaction that has ended is refused', async () => {
  let leaked: Promise<unknown> = Promise.resolve();
  await database.transaction(async (transaction) => {
    leaked = systemInterfaces.timers.sleep(20).then(() => transaction.query('SELECT 1'));
    leaked.catch(() => {});
  });
  await expect(leaked).rejects.toThrow('has ended');
});

test('a connection cut in a transaction is the problem database-unavailable, and the next one works', async () => {
  const other = await another();
  await expect(other.transaction(async (transaction) => {
    await transaction.query('SELECT 1');
    await database.query(cutOthers);
    await transaction.query('SELECT 1');
  })).rejects.toMatchObject({ code: 'database-unavailable', status: 503 });
  expect((await other.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  await other.close();
});

test('a write whose answer is lost is reported as unknown, a read as no change', async () => {
  await database.query('CREATE TABLE t (n int); INSERT INTO t VALUES (1)');
  const other = await another();
  await expect(other.query('UPDATE t SET n = 2 RETURNING pg_terminate_backend(pg_backend_pid())'))
    .rejects.toMatchObject({ code: 'database-unavailable', detail: expect.stringContaining('unknown whether the change took place') as string });
  await expect(other.query('SELECT pg_terminate_backend(pg_backend_pid())'))
    .rejects.toMatchObject({ code: 'database-unavailable', detail: expect.stringContaining('Nothing was changed') as string });
  await other.close();
});

exhaustiveTest('a stopped server makes queries reject with database-unavailable; after its start they work and listeners wake', async () => {
  const server = await startPostgres({ folder, log, temporary: false });
  const own = await connectDatabase({ connection: server.connectionString, log, maxConnections: 2 });
  const heard: string[] = [];
  await own.listen('news', (payload) => heard.push(payload));
  await own.query(`SELECT pg_notify('news', 'first')`);
  await until(() => heard.includes('first'));
  await server.stop();
  await expect(own.query('SELECT 1')).rejects.toMatchObject({ code: 'database-unavailable' });
  const again = await startPostgres({ folder, log });
  expect(again.connectionString).toBe(server.connectionString);
  expect((await own.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  await until(() => heard.includes(''));
  await own.query(`SELECT pg_notify('news', 'second')`);
  await until(() => heard.includes('second'));
  await own.close();
  await again.stop();
});

test('listeners hear their channel only, each until it stops listening', async () => {
  const heard: string[] = [];
  const stopFirst = await database.listen('a', (payload) => heard.push(`first ${payload}`));
  await Promise.all([
    database.listen('a', (payload) => heard.push(`second ${payload}`)),
    database.listen('b"; drop table jobs; --', (payload) => heard.push(`b ${payload}`)),
  ]);
  await database.query(`SELECT pg_notify('a', '1')`);
  await until(() => heard.length === 2);
  await stopFirst();
  await database.query(`SELECT pg_notify('a', '2')`);
  await database.query(`SELECT pg_notify('b"; drop table jobs; --', '3')`);
  await until(() => heard.length === 4);
  expect(heard).toEqual(['first 1', 'second 1', 'second 2', 'b 3']);
});

test('of those who stand for election one holds office; it is told when its connection is lost', async () => {
  const other = await another();
  let lost = false;
  const held = await database.elect('office', async (signal) => {
    expect(await other.elect('office', async () => 'also')).toBeNull();
    expect(await other.elect('another office', async () => 'yes')).toBe('yes');
    const told = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => { lost = true; resolve(); });
    });
    await other.query(cutOthers);
    await told;
    return 'held';
  });
  expect({ held, lost }).toEqual({ held: 'held', lost: true });
  expect(await other.elect('office', async () => 'next')).toBe('next');
  await other.close();
});

test('a server that is not there is a sentence without the password', async () => {
  const connection = 'postgresql://somebody:sesame@127.0.0.1:1/vouch';
  const attempt = connectDatabase({ connection, log, maxConnections: 1 });
  await expect(attempt).rejects.toBeInstanceOf(DatabaseFault);
  await expect(attempt).rejects.toThrow(/127\.0\.0\.1:1\/vouch cannot be reached: .*ECONNREFUSED/);
  await expect(attempt).rejects.not.toThrow('sesame');
});

test('migrations apply once and in order, even when several processes start at once', async () => {
  await writeFile(join(folder, '0002_b.sql'), 'INSERT INTO steps VALUES (2); INSERT INTO steps VALUES (3)');
  await writeFile(join(folder, '0001_a.sql'), 'CREATE TABLE steps (n int)');
  await writeFile(join(folder, 'notes.txt'), 'not SQL');
  const others = await Promise.all([another(), another()]);
  const applied = await Promise.all([database, ...others].map((each) => migrate(each, [{ product: 'p', folder }])));
  expect(applied.flat().sort()).toEqual(['p/0001_a.sql', 'p/0002_b.sql']);
  expect((await database.query('SELECT n FROM steps ORDER BY n')).rows).toEqual([{ n: 2 }, { n: 3 }]);
  await Promise.all(others.map((each) => each.close()));
});

test('a migration that fails leaves nothing of itself, and applies once it is mended', async () => {
  await writeFile(join(folder, '0001_a.sql'), 'CREATE TABLE steps (n int); SELECT 1 / 0');
  await expect(migrate(database, [{ product: 'p', folder }])).rejects.toThrow('division by zero');
  await writeFile(join(folder, '0001_a.sql'), 'CREATE TABLE steps (n int)');
  expect(await migrate(database, [{ product: 'p', folder }])).toEqual(['p/0001_a.sql']);
});

test('a changed applied file and a database newer than the program are refused with a sentence', async () => {
  await writeFile(join(folder, '0001_a.sql'), 'CREATE TABLE steps (n int)');
  await migrate(database, [{ product: 'p', folder }]);
  await writeFile(join(folder, '0001_a.sql'), 'CREATE TABLE steps (n int)\r\n');
  await expect(migrate(database, [{ product: 'p', folder }])).rejects.toThrow('p/0001_a.sql was changed');
  await rm(join(folder, '0001_a.sql'));
  await expect(migrate(database, [{ product: 'p', folder }])).rejects.toThrow('which this release does not know');
});

test('an earlier release starts on a database with newer migrations if all of them are backward-compatible', async () => {
  const earlier = await mkdtemp(join(tmpdir(), 'vouch-migrations-'));
  const start = (from: string): Promise<string[]> => migrate(database, [{ product: 'p', folder: from }]);
  for (const of of [earlier, folder]) await writeFile(join(of, '0001_a.sql'), 'CREATE TABLE steps (n int)');
  // As a release left the table that knew no backward-compatible migrations.
  await start(earlier);
  await database.query('ALTER TABLE migrations DROP COLUMN is_backward_compatible');
  await writeFile(join(folder, '0002_b.sql'), '-- backward-compatible: nothing reads the column yet.\nALTER TABLE steps ADD COLUMN m int');
  expect(await start(folder)).toEqual(['p/0002_b.sql']);
  expect(await start(earlier)).toEqual([]);
  await writeFile(join(folder, '0003_c.sql'), '-- Not backward-compatible: n is gone.\nALTER TABLE steps DROP COLUMN n');
  await start(folder);
  await expect(start(earlier)).rejects.toThrow('p/0003_c.sql, which this release does not know');
  await rm(earlier, { recursive: true });
});
