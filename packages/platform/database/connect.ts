import { Client, Pool, type ClientConfig, type QueryResultRow } from 'pg';
import type { Logger } from '../log/logger.ts';
import { disownUncaught } from '../process/containUncaught.ts';
import { systemInterfaces, type Timers } from '../process/systemInterfaces.ts';
import { underAny } from '../process/underAny.ts';
import type { Connection, Database } from './database.ts';
import { translateDatabaseError } from './databaseErrors.ts';
import { DatabaseFault } from './databaseFault.ts';
import { createListener } from './listener.ts';
import { parseConnection } from './passfile.ts';
import { oldestMajor } from './postgresBinaries.ts';
import { run, runTransaction } from './runTransaction.ts';
import { openSession } from './session.ts';

export interface ConnectOptions {
  /** The value of `DATABASE_URL`, or the `connectionString` of `startPostgres`. */
  connection: string;
  log: Logger;
  /** Connections of the pool. Listening uses one more, and so does each held election and each session. */
  maxConnections: number;
  timers?: Timers;
  /** Maximum wait in ms for a new connection, or for a connection of the pool. Default: 10 s. */
  connectMs?: number;
}

const defaultConnectMs = 10_000;
/** A statement that runs for more than 60 s is a bug. The client waits twice as long as the server, so the server cancels first. */
const statementMs = 60_000;
/** Time after which the server ends the connection of a process that hangs inside a transaction, to free its locks. */
const idleTransactionMs = 10_000;

/** Returns the settings that all connections share. */
function clientConfig({ connection, connectMs = defaultConnectMs }: ConnectOptions): ClientConfig {
  return {
    ...parseConnection(connection),
    application_name: 'vouch',
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    query_timeout: statementMs * 2,
    keepAlive: true,
  };
}

/**
 * Opens a pool to PostgreSQL and checks the server's version. If the server is lost later, statements reject with Problem `database-unavailable`; the
 * process never ends because of it. `bigint` columns are returned as text and `timestamptz` as Date, as pg does by default.
 * @throws DatabaseFault if the server cannot be reached or is too old
 * @example
 * const database = await connectDatabase({ connection: 'postgresql://localhost/vouch', log, maxConnections: 10 });
 * const { rows } = await database.query<{ id: string }>('SELECT id FROM jobs WHERE kind = $1', ['train']);
 */
export async function connectDatabase(options: ConnectOptions): Promise<Database> {
  const { connection, log } = options;
  const timers = options.timers ?? systemInterfaces.timers;
  const pool = new Pool({ ...clientConfig(options), max: options.maxConnections, idleTimeoutMillis: 30_000 });
  const closing = new AbortController();
  // `pool.end` does not wait until its connections are closed, so a server that stops after `close` can still report its shutdown on them.
  pool.on('error', (error) => {
    if (!closing.signal.aborted) log.warn({ reason: error.message }, 'lost an idle database connection');
  });
  try {
    await checkVersion(pool);
  } catch (error) {
    await pool.end();
    if (error instanceof DatabaseFault) throw error;
    throw new DatabaseFault(`PostgreSQL at ${withoutSecrets(connection)} cannot be reached: ${reasonOf(error)}. Check ` +
      'DATABASE_URL, and check that the server runs.', { cause: error });
  }
  const listener = createListener({ connect: () => openClient(options), log, timers });
  let closed: Promise<void> | null = null;

  return {
    async query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]) {
      try {
        return await disownUncaught(() => run<Row>(pool, sql, values));
      } catch (error) {
        throw translateDatabaseError(error, sql);
      }
    },
    transaction: (work) => inTransaction(pool, work),
    listen: (channel, heard) => listener.listen(channel, heard),
    openSession: (given) => openSession(clientConfig(options), given, timers),
    elect: (name, work) => elect(options, name, work, closing.signal),
    connectionsInUse: () => pool.totalCount - pool.idleCount,
    close() {
      closing.abort();
      closed ??= Promise.all([listener.close(), pool.end()]).then(() => {});
      return closed;
    },
  };
}

async function checkVersion(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`);
  const row = rows[0];
  if (row === undefined || row.number < oldestMajor * 10_000) {
    throw new DatabaseFault(`The database server is PostgreSQL ${row?.version ?? 'of an unknown version'}, but version ` +
      `${oldestMajor} or newer is required: upgrade the server, or set DATABASE_URL to a newer server.`);
  }
}

async function inTransaction<Result>(pool: Pool, work: (transaction: Connection) => Promise<Result>): Promise<Result> {
  const client = await disownUncaught(() => pool.connect()).catch((error: unknown) => { throw translateDatabaseError(error); });
  // A checked-out client that loses its server emits an error event, which would end the process without a listener.
  const ignore = (): void => {};
  client.on('error', ignore);
  let broken = false;
  try {
    return await runTransaction(client, 'BEGIN', work, () => { broken = true; });
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}

async function openClient(options: ConnectOptions): Promise<Client> {
  const client = new Client(clientConfig(options));
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Runs `work` under a session advisory lock on its own connection. PostgreSQL releases the lock as soon as it detects the end of this process. */
async function elect<Result>(
  options: ConnectOptions, name: string, work: (signal: AbortSignal) => Promise<Result>, closing: AbortSignal,
): Promise<Result | null> {
  const client = await openClient(options).catch((error: unknown) => { throw translateDatabaseError(error); });
  const lost = new AbortController();
  client.on('end', () => lost.abort());
  try {
    const { rows } = await client.query<{ won: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [`vouch:${name}`])
      .catch((error: unknown) => { throw translateDatabaseError(error); });
    if (rows[0]?.won !== true) return null;
    return await underAny([lost.signal, closing], work);
  } finally {
    await client.end().catch(() => {});
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'unknown reason';
}

/** Formats the connection URL without user, password and parameters, for messages. */
function withoutSecrets(connection: string): string {
  try {
    const url = new URL(connection);
    return url.hostname === '' ? 'its local socket' : `${url.hostname}:${url.port || '5432'}${url.pathname}`;
  } catch {
    return 'the URL in DATABASE_URL';
  }
}
