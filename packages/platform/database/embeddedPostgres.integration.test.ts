import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { exhaustive, exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { createLogger } from '../log/logger.ts';
import { isLocked } from '../process/fileLock.ts';
import { DatabaseFault } from './databaseFault.ts';
import { startPostgres } from './embeddedPostgres.ts';
import { lockFolder } from './dataFolder.ts';
import { findPostgres } from './postgresBinaries.ts';
import { copyDataFolder } from '../testing/copyDataFolder.ts';
import { keeperPid, serverPid, sql, until } from '../testing/embeddedServer.ts';

const log = createLogger('silent');
const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;
const children: ChildProcess[] = [];
let world: string;
/** The data folder of a stopped server, which the tests copy. */
let made: string;
let parent: string;
let folder: string;

beforeAll(async () => {
  world = await mkdtemp(join(tmpdir(), 'vouch-postgres-'));
  made = join(world, 'made');
  await (await startPostgres({ folder: made, log })).stop();
});

afterAll(() => rm(world, { recursive: true, force: true, maxRetries: 10 }));

beforeEach(async () => {
  // Only the owner may enter the parent folder, and the path is longer than a socket's path may be.
  parent = await mkdtemp(join(tmpdir(), 'vouch-postgres-'));
  folder = join(parent, 'd'.repeat(120), 'data');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await until(async () => (await serverPid(folder)) === null);
  // A keeper that is ending may still check its lock, which recreates the file.
  await rm(parent, { recursive: true, force: true, maxRetries: 10 });
});

/** Starts a process that uses the folder, and returns the first line of its output. */
async function userProcess(what: 'server' | 'lock', of: string, uid?: number, searchPath = process.env['PATH']): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [
    '--import', import.meta.resolve('tsx'), new URL('../testing/children/postgresUser.ts', import.meta.url).pathname, what, of,
    ...(uid === undefined ? [] : [String(uid)]),
  ], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, PATH: searchPath } });
  children.push(child);
  const line = await new Promise<string>((resolve) => child.stdout?.once('data', (data: Buffer) => resolve(data.toString().trim())));
  return { child, line };
}

exhaustiveTest('a server starts in a long path that only its owner may enter, without TCP, with checksums and all links of its programs, and keeps its data', async () => {
  const first = await startPostgres({ folder, log });
  await sql(first, 'CREATE TABLE kept (n int)');
  await sql(first, 'INSERT INTO kept VALUES (7)');
  expect(await sql(first, `
    SELECT current_setting('listen_addresses') AS tcp, current_setting('data_checksums') AS checksums,
      current_setting('fsync') AS fsync, datcollate AS collation, pg_encoding_to_char(encoding) AS encoding
    FROM pg_database WHERE datname = current_database()`))
    .toEqual([{ tcp: '', checksums: 'on', fsync: 'on', collation: 'C.UTF-8', encoding: 'UTF8' }]);
  expect(first.source).toBe('npm');
  await expectLinks();
  await first.stop();
  expect(await serverPid(folder)).toBeNull();
  const second = await startPostgres({ folder, log });
  expect(await sql(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  expect(second.version).toBe(first.version);
  await second.stop();
});

/** Asserts that all links exist that an install script would have created. */
async function expectLinks(): Promise<void> {
  const binaries = findPostgres(null, 'npm');
  const links = JSON.parse(await readFile(join(binaries.root, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  const version = (JSON.parse(await readFile(join(binaries.root, '../package.json'), 'utf8')) as { version: string }).version;
  expect(links).not.toEqual([]);
  for (const { target } of links) {
    const path = join(folder, 'postgres', `native-${version}`, target.replace(/^native\//, ''));
    expect((await lstat(path)).isSymbolicLink(), target).toBe(true);
  }
}

exhaustiveTest('processes share one server, which stops with the last of them, and not with the one that started it', async () => {
  await copyDataFolder(made, folder);
  const { child, line } = await userProcess('server', folder);
  const here = await startPostgres({ folder, log });
  expect(here.connectionString).toBe(line);
  child.stdin?.end();
  await new Promise((resolve) => child.once('exit', resolve));
  expect(await sql(here, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await here.stop();
  expect(await serverPid(folder)).toBeNull();
});

exhaustiveTest('a server whose only user is killed stops by itself, and the next start has what was committed', async () => {
  await copyDataFolder(made, folder);
  const { child, line } = await userProcess('server', folder);
  await sql({ connectionString: line }, 'CREATE TABLE kept AS SELECT 1 AS n');
  child.kill('SIGKILL');
  const next = await startPostgres({ folder, log });
  expect(await sql(next, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  await next.stop();
  expect(await serverPid(folder)).toBeNull();
});

test.runIf(isLinux)('after kill -9 of user, keeper and server at once the next start recovers what was committed', async () => {
  await copyDataFolder(made, folder);
  for (let round = 0; round < 2; round++) {
    const { child, line } = await userProcess('server', folder);
    await sql({ connectionString: line }, 'CREATE TABLE IF NOT EXISTS kept (n int)');
    await sql({ connectionString: line }, `INSERT INTO kept VALUES (${round})`);
    const server = await serverPid(folder) as number;
    for (const pid of [child.pid as number, await keeperPid(folder), server]) process.kill(pid, 'SIGKILL');
  }
  const next = await startPostgres({ folder, log });
  expect(await sql(next, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 0 }, { n: 1 }]);
  await next.stop();
});

test.runIf(isLinux && exhaustive)('a server whose keeper was killed is replaced by the next start, also while another process uses the server', async () => {
  await copyDataFolder(made, folder);
  const { line } = await userProcess('server', folder);
  await sql({ connectionString: line }, 'CREATE TABLE kept AS SELECT 1 AS n');
  await killKeeper(folder);
  await expectKeptServer(folder, line);
});

test.runIf(isRoot && isLinux && exhaustive)('a server that outlives its keeper, because nothing tells it of the death, is replaced by the next start', async () => {
  const his = join(parent, 'his');
  await chmod(parent, 0o755);
  await mkdir(his);
  await chown(his, 54_321, 54_321);
  const { line } = await userProcess('server', his, 54_321, await searchPathWithout('setpriv'));
  await sql({ connectionString: line }, 'CREATE TABLE kept AS SELECT 1 AS n');
  const server = await serverPid(his) as number;
  await killKeeper(his);
  expect(await sql({ connectionString: line }, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  await expectKeptServer(his, line);
  expect(await serverPid(his)).not.toBe(server);
});

/** Kills the keeper of a running server, and returns after the keeper has ended. */
async function killKeeper(of: string): Promise<void> {
  process.kill(await keeperPid(of), 'SIGKILL');
  await until(async () => !(await isLocked(join(of, 'postgres/keeper.lock'))));
}

/** Starts PostgreSQL on the folder. The server answers at the address of the earlier server, and restarts after a crash, so it has a keeper. */
async function expectKeptServer(of: string, address: string): Promise<void> {
  const next = await startPostgres({ folder: of, log });
  expect(next.connectionString).toBe(address);
  expect(await sql(next, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  process.kill(await serverPid(of) as number, 'SIGKILL');
  await until(() => sql(next, 'SELECT n FROM kept').then(() => true, () => false));
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  await next.stop();
  // On a busy machine, the keeper notices the end of the killed users after this stop.
  await until(async () => (await serverPid(of)) === null);
}

/** Makes a folder with links to all programs of /usr/bin except one. */
async function searchPathWithout(program: string): Promise<string> {
  const at = join(parent, 'programs');
  await mkdir(at);
  await chmod(at, 0o755);
  for (const name of await readdir('/usr/bin')) if (name !== program) await symlink(join('/usr/bin', name), join(at, name));
  return at;
}

exhaustiveTest('a server that crashes while it is needed starts again on the same socket, also right after its first start', async () => {
  await copyDataFolder(made, folder);
  const server = await startPostgres({ folder, log });
  await sql(server, 'CREATE TABLE kept AS SELECT 1 AS n');
  for (let crash = 0; crash < 2; crash++) {
    process.kill(await serverPid(folder) as number, 'SIGKILL');
    await until(() => sql(server, 'SELECT n FROM kept').then(() => true, () => false));
  }
  await server.stop();
  expect(await serverPid(folder)).toBeNull();
  expect(await readFile(join(folder, 'postgres/postgres.log'), 'utf8')).toContain('starting it again');
});

exhaustiveTest('a server that is no longer needed is not started again, and its log, which may quote what statements hold, is readable for nobody else, also where it was', async () => {
  await copyDataFolder(made, folder);
  const path = join(folder, 'postgres/postgres.log');
  for (let round = 0; round < 5; round++) {
    await chmod(path, 0o644);
    await (await startPostgres({ folder, log })).stop();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  expect(await readFile(path, 'utf8')).not.toContain('starting it again');
});

test('a temporary folder goes away with its server', async () => {
  const temporary = join(parent, 'temporary');
  await copyDataFolder(made, temporary);
  const server = await startPostgres({ folder: temporary, log, temporary: true });
  await server.stop();
  await expect(lstat(temporary)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a folder that cannot be made is named in a sentence', async () => {
  await expect(startPostgres({ folder: '/dev/null/vouch', log })).rejects.toThrow('/dev/null/vouch cannot be written');
  await expect(lockFolder('/dev/null/vouch')).rejects.toBeInstanceOf(DatabaseFault);
});

test.runIf(isRoot && exhaustive)('an ordinary user runs his own server, without a name as well, and root can use his folder', async () => {
  const his = join(parent, 'his');
  await chmod(parent, 0o755);
  await mkdir(his);
  await chown(his, 54_321, 54_321);
  const { child, line } = await userProcess('server', his, 54_321);
  expect(line).toContain('postgresql://');
  await sql({ connectionString: line }, 'CREATE TABLE kept AS SELECT 1 AS n');
  child.stdin?.end();
  await new Promise((resolve) => child.once('exit', resolve));
  const roots = await startPostgres({ folder: his, log });
  expect(await sql(roots, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  await roots.stop();
  // The user can still start the server after root has set the server's password.
  const passfile = join(his, 'postgres', 'pgpass');
  await rm(passfile);
  await (await startPostgres({ folder: his, log })).stop();
  expect((await stat(passfile)).uid).toBe(54_321);
  expect((await userProcess('server', his, 54_321)).line).toContain('postgresql://');
  children.at(-1)?.kill('SIGKILL');
  await until(async () => (await serverPid(his)) === null);
});

test.runIf(isRoot)('a user without rights on the folder gets a sentence', async () => {
  const roots = join(parent, 'roots');
  await chmod(parent, 0o755);
  await mkdir(roots);
  for (const what of ['server', 'lock'] as const) {
    expect((await userProcess(what, roots, 54_321)).line).toMatch(/^fault: .*roots.*(write access)/s);
  }
});

test('one process holds a data folder; the refused one names folder and holder; death of the holder frees it', async () => {
  const { child, line } = await userProcess('lock', folder);
  expect(line).toBe('locked');
  await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by process ${child.pid}`);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const lock = await lockFolder(folder);
  expect((await userProcess('lock', folder)).line).toContain(`in use by process ${process.pid}`);
  await lock.release();
});
