import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces, type Timers } from '../process/systemInterfaces.ts';
import { keeperPid, serverPid, sql, until } from '../testing/embeddedServer.ts';
import { startPostgres } from './embeddedPostgres.ts';

const log = createLogger('silent');
const isLinux = process.platform === 'linux';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-restart-'));
});
afterEach(async () => {
  await until(async () => (await serverPid(folder)) === null);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Timers that pass twenty times as fast. */
const fast: Timers = { sleep: (ms, ...how) => systemInterfaces.timers.sleep(ms / 20, ...how) };

test.skipIf(!isLinux)('a server whose keeper was killed is started again on the same socket while a process uses it, and only then', async () => {
  const server = await startPostgres({ folder, log, timers: fast });
  await sql(server, 'CREATE TABLE kept AS SELECT 1 AS n');
  for (let round = 0; round < 2; round++) {
    const killed = await serverPid(folder);
    process.kill(await keeperPid(folder), 'SIGKILL');
    await until(async () => (await serverPid(folder)) !== killed && await sql(server, 'SELECT n FROM kept').then(() => true, () => false));
  }
  await server.stop();
  await systemInterfaces.timers.sleep(1_000);
  expect(await serverPid(folder)).toBeNull();
});

test.skipIf(!exhaustive || !isLinux)('a server whose data was removed is not replaced by an empty one', async () => {
  const lines: string[] = [];
  const server = await startPostgres({ folder, log: createLogger('error', { write: (line) => lines.push(line) }), timers: fast });
  const keeper = await keeperPid(folder);
  await rm(join(folder, 'postgres/data'), { recursive: true });
  process.kill(keeper, 'SIGKILL');
  await until(async () => lines.length > 1);
  expect(lines[1]).toMatch(/postgres\/data has no database any more\. Bring its files back/);
  await server.stop();
});

test.skipIf(!exhaustive || !isLinux || process.getuid?.() !== 0)('a server that could not start for a while, as on a full disk, is started again, and the log states the reason meanwhile', async () => {
  const lines: string[] = [];
  const server = await startPostgres({ folder, log: createLogger('error', { write: (line) => lines.push(line) }), timers: fast });
  const data = join(folder, 'postgres/data');
  const { uid, gid } = await stat(data);
  await chown(data, 1, 1);
  process.kill(await serverPid(folder) as number, 'SIGKILL');
  await until(async () => lines.length > 1);
  expect(lines[0]).toMatch(/PostgreSQL ended and could not be started again; retrying/);
  expect(lines[0]).toMatch(/PostgreSQL did not start .*Permission denied/);
  await chown(data, uid, gid);
  await until(() => sql(server, 'SELECT 1').then(() => true, () => false));
  await server.stop();
});
