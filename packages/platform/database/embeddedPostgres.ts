import { spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, open, readFile, rm, rmdir, stat, truncate } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import type { Logger } from '../log/logger.ts';
import { systemInterfaces, type Timers } from '../process/systemInterfaces.ts';
import { isLocked, tryLock, type FileLock } from '../process/fileLock.ts';
import { makeFolder } from '../process/makeFolder.ts';
import { initializeCluster, requirePassword, toolEnvironment } from './cluster.ts';
import { DatabaseFault } from './databaseFault.ts';
import { explainFailure, folderFault } from './dataFolder.ts';
import { makeDataFolder } from './makeDataFolder.ts';
import { parseConnection } from './passfile.ts';
import { findPostgres, installBinaries, type PostgresSource } from './postgresBinaries.ts';
import { restartServer } from './restartServer.ts';
import {
  ask, connectionStringOf, interrupt, readState, serverProcess, writeState, type ServerState,
} from './runningServer.ts';
import { chooseServerUser } from './serverUser.ts';

/** A running server that this process uses. */
export interface EmbeddedPostgres {
  /** Connection URL for `connectDatabase`; libpq understands this URL too. */
  connectionString: string;
  /** Version that the server reports, e.g. `18.4`. */
  version: string;
  source: PostgresSource;
  /** Stops using the server. The last process that uses the server stops it and waits until it has ended. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Data folder. All files of PostgreSQL are in its subfolder `postgres`. */
  folder: string;
  log: Logger;
  /** Use only binaries from npm, or only those of the system. By default, both are tried. */
  source?: PostgresSource;
  /** Removes the data folder after the server has stopped, even if this process was killed. The server does not sync its files to the disk. */
  temporary?: boolean;
  timers?: Timers;
}

const keeper = fileURLToPath(new URL('./postgresKeeper.sh', import.meta.url));
/** Crash recovery of a large database can take minutes. A start that takes longer than this counts as failed. */
const startMs = 120_000;
/** Time limit for a fast shutdown, which writes one checkpoint. */
const stopMs = 60_000;
const pollMs = 20;
const maxLogBytes = 10 * 1024 * 1024;
const databaseName = 'vouch';

/**
 * Ensures that a PostgreSQL server runs on the data folder while this process needs it: attaches to a running server, or creates the database if
 * missing and starts a server. The server listens only on a Unix socket in a temporary folder with a short path, never on TCP. It stops when the last
 * process that uses it has ended, even if that process was killed. Until then, it is started again whenever it ends.
 * @throws DatabaseFault that states the problem and a remedy
 * @example
 * const server = await startPostgres({ folder: '/data', log });
 * const database = await connectDatabase({ connection: server.connectionString, log, maxConnections: 10 });
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataFolder = resolve(options.folder);
  const folder = join(dataFolder, 'postgres');
  const timers = options.timers ?? systemInterfaces.timers;
  await makeFolders(dataFolder, folder).catch((error: NodeJS.ErrnoException) => {
    throw folderFault(dataFolder, error);
  });
  const using = await waitForLock(join(folder, 'users.lock'), 'shared', stopMs, timers);
  try {
    const start = (): Promise<ServerState> => startAlone(folder, dataFolder, options, timers);
    const { sockets, version, source } = await start();
    // The keeper of a temporary server removes the data when it ends.
    const endWatch = options.temporary === true ? null : restartServer({ folder, sockets, log: options.log, timers, start });
    return {
      connectionString: connectionStringOf(folder, sockets, databaseName),
      version,
      source,
      async stop() {
        await endWatch?.();
        await leave(folder, using, timers, options.temporary === true ? dataFolder : null);
      },
    };
  } catch (error) {
    await using.release();
    throw error instanceof Error ? explainFailure(dataFolder, error) : error;
  }
}

async function makeFolders(dataFolder: string, folder: string): Promise<void> {
  await makeDataFolder(dataFolder);
  await makeFolder(folder, 0o755);
}

/** Attaches to the server or starts it, while no other process does. */
async function startAlone(folder: string, dataFolder: string, options: EmbeddedPostgresOptions, timers: Timers): Promise<ServerState> {
  const starting = await waitForLock(join(folder, 'start.lock'), 'exclusive', startMs, timers);
  try {
    return await attachOrStart(folder, dataFolder, options, timers);
  } finally {
    await starting.release();
  }
}

async function attachOrStart(
  folder: string, dataFolder: string, options: EmbeddedPostgresOptions, timers: Timers,
): Promise<ServerState> {
  if (await isLocked(join(folder, 'server.lock'))) {
    const running = await adopt(folder, options.log, timers);
    if (running !== null) return running;
  }
  // No process of an earlier server lives, so postmaster.pid is a leftover, and its process id may belong to an unrelated process.
  await rm(join(folder, 'data', 'postmaster.pid'), { force: true });
  const earlier = await readState(folder);
  const sockets = await makeSocketFolder(earlier?.folder === folder ? earlier : null);
  return start(folder, dataFolder, sockets, options, timers).catch(async (error: unknown) => {
    // If a server was started, its keeper removes the folder. An empty folder is left only by a start that failed earlier.
    await rmdir(sockets).catch(() => {});
    throw error;
  });
}

/**
 * Attaches to a server whose processes live. Stops a server that does not answer, and a server whose keeper was killed: nothing would restart such a
 * server after a crash, and on Linux the death of its keeper has already told it to stop. Null if no server lives.
 */
async function adopt(folder: string, log: Logger, timers: Timers): Promise<ServerState | null> {
  const state = await readState(folder);
  for (let waited = 0; waited < startMs; waited += 200) {
    const answer = state === null ? 'gone' : await ask(folder, state.sockets);
    const isKept = state?.keeperLock !== true || await isLocked(join(folder, 'keeper.lock'));
    if (state !== null && answer === 'ready' && isKept) return state;
    if (!(await isLocked(join(folder, 'server.lock')))) return null;
    if (!isKept && waited % 5_000 === 0) await interrupt(folder, log);
    // A server that is starting or stopping answers `busy`. A server whose socket was deleted, e.g. by a cleanup of /tmp, is unusable and is stopped.
    if (answer === 'gone' && waited % 5_000 === 1_000) await interrupt(folder, log);
    await timers.sleep(200);
  }
  throw new DatabaseFault(`A PostgreSQL server (${await serverProcess(folder) ?? 'unknown process'}) uses the data folder ` +
    `${folder} but does not answer: see ${join(folder, 'postgres.log')}. If another container uses this folder, ` +
    'stop that container.');
}

/**
 * Creates the folder of the server's socket. A socket's path may have at most about 107 bytes, so the socket cannot be in the data folder.
 * @param earlier state of the previous server at the same path. Null for a copied folder, whose state names the socket folder of the original, which
 *   may be running
 */
async function makeSocketFolder(earlier: ServerState | null): Promise<string> {
  if (earlier !== null) {
    await rm(earlier.sockets, { recursive: true, force: true }).catch(() => {});
    // Reuses the name, so that processes that lost the previous server find the new one. Another user may have created the folder meanwhile.
    const made = await mkdir(earlier.sockets, { mode: 0o700 }).then(() => true, () => false);
    if (made) return earlier.sockets;
  }
  return mkdtemp('/tmp/vouch-');
}

async function start(
  folder: string, dataFolder: string, sockets: string, options: EmbeddedPostgresOptions, timers: Timers,
): Promise<ServerState> {
  const data = join(folder, 'data');
  const dataMajor = await readFile(join(data, 'PG_VERSION'), 'utf8')
    .then((text) => Number.parseInt(text, 10), () => null);
  const binaries = findPostgres(dataMajor, options.source);
  const root = await installBinaries(binaries, folder);
  const serverUser = await chooseServerUser(dataFolder, join(root, 'bin', 'postgres'));
  const cluster = { folder, root, serverUser };
  if (dataMajor === null) await initializeCluster(cluster, binaries.source);
  await requirePassword(cluster, options.temporary === true ? 'not synced' : 'synced');

  if (serverUser.uid !== null) await chown(sockets, serverUser.uid, serverUser.gid ?? serverUser.uid);
  const logPath = join(folder, 'postgres.log');
  // The log can quote statements with their data, so only the owner may read it. Logs of earlier releases were readable for all users.
  const output = await open(logPath, 'a', 0o600);
  await output.chmod(0o600);
  if ((await output.stat()).size > maxLogBytes) await truncate(logPath);
  const logStart = (await output.stat()).size;
  const settings = serverSettings(sockets, options.temporary === true);
  const child = spawn('/bin/sh', [
    keeper, folder, sockets, options.temporary === true ? dataFolder : '',
    ...serverUser.command({ dieWithParent: true }), join(root, 'bin', 'postgres'), '-D', data, ...settings,
  ], { detached: true, stdio: ['ignore', output.fd, output.fd], cwd: '/', env: toolEnvironment });
  child.unref();
  const ended = new Promise<string>((resolveEnd) => {
    child.on('error', (error) => resolveEnd(error.message));
    child.on('exit', (code, signal) => resolveEnd(`exit ${code ?? signal}`));
  });
  await output.close();
  const readLog = async (): Promise<string> =>
    (await readFile(logPath)).subarray(logStart).toString('utf8').trim().slice(-1_000);
  await waitUntilReady(folder, sockets, ended, timers, readLog);
  const version = await prepareDatabase(folder, sockets);
  const state: ServerState = { sockets, version, source: binaries.source, folder, keeperLock: true };
  await writeState(folder, state);
  options.log.info({ version, source: binaries.source, folder: data }, 'PostgreSQL started');
  return state;
}

function serverSettings(sockets: string, temporary: boolean): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    unix_socket_permissions: '0700',
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    // The server detects a dead client during a long statement, not only at its end.
    ...(process.platform === 'linux' ? { client_connection_check_interval: '1s' } : {}),
    ...(temporary ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function waitUntilReady(
  folder: string, sockets: string, ended: Promise<string>, timers: Timers, readLog: () => Promise<string>,
): Promise<void> {
  let end: string | null = null;
  void ended.then((how) => { end = how; });
  for (let waited = 0; waited < startMs; waited += pollMs) {
    if ((await ask(folder, sockets)) === 'ready') return;
    if (end !== null) throw new DatabaseFault(`PostgreSQL did not start (${String(end)}): ${await readLog()}`);
    await timers.sleep(pollMs);
  }
  throw new DatabaseFault(`PostgreSQL was not ready within ${startMs / 1000} s: ${await readLog()}`);
}

async function prepareDatabase(folder: string, sockets: string): Promise<string> {
  const client = new Client(parseConnection(connectionStringOf(folder, sockets, 'postgres')));
  await client.connect();
  try {
    const exists = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName]);
    if (exists.rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
    const { rows } = await client.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
    return (rows[0]?.version ?? 'unknown').split(' ')[0] as string;
  } finally {
    await client.end();
  }
}

async function leave(folder: string, using: FileLock, timers: Timers, temporary: string | null): Promise<void> {
  await using.release();
  // With `temporary`, the keeper removes the folder, so no lock file may be created here. If the exclusive lock succeeds, nobody else uses the
  // server. If even a shared lock fails, the keeper is already stopping it.
  const alone = await tryLock(join(folder, 'users.lock'), 'exclusive', 'existing').catch(() => null);
  if (alone === null) {
    const others = await tryLock(join(folder, 'users.lock'), 'shared', 'existing').catch(() => null);
    if (others !== null) return others.release();
  }
  await alone?.release();
  for (let waited = 0; waited < stopMs; waited += pollMs) {
    const stopped = await tryLock(join(folder, 'server.lock'), 'exclusive', 'existing').catch(() => 'removed' as const);
    const removed = temporary !== null && await stat(temporary).then(() => false, () => true);
    if (removed) return;
    if (stopped !== null && stopped !== 'removed') {
      await stopped.release();
      if (temporary === null) return;
    }
    const others = await tryLock(join(folder, 'users.lock'), 'shared', 'existing').catch(() => null);
    const stopping = others === null;
    await others?.release();
    if (!stopping && waited > 1_000) return;
    await timers.sleep(pollMs);
  }
}

async function waitForLock(
  path: string, mode: 'shared' | 'exclusive', forMs: number, timers: Timers,
): Promise<FileLock> {
  for (let waited = 0; waited < forMs; waited += 50) {
    const lock = await tryLock(path, mode);
    if (lock !== null) return lock;
    await timers.sleep(50);
  }
  throw new DatabaseFault(`Another process has been starting or stopping PostgreSQL for ${forMs / 1000} s (${path} ` +
    'is locked): find the process with `ps`, and the reason in postgres.log in the same folder.');
}
