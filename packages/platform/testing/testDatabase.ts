import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { createLogger } from '../log/logger.ts';
import { connectDatabase } from '../database/connect.ts';
import type { Database } from '../database/database.ts';
import { parseConnection } from '../database/passfile.ts';
import { migrate, platformMigrations, readMigrations, type MigrationSet } from '../database/migrate.ts';

/** A database for one test; `close` removes it. */
export interface TestDatabase extends Database {
  /** Connection URL for child processes and further connections. */
  connectionString: string;
}

/** A limit for what hangs: on a machine with busy processors, a connection can take longer than the default limit. */
const connectMs = 240_000;
const templates = new Map<string, Promise<string>>();

/**
 * Opens a new database with the platform's migrations and the given ones, cloned from a template that is created once per test run (20 to 70 ms per
 * clone). The server is the one that `testSetup.ts` started, or that of VOUCH_TEST_DATABASE_URL.
 */
export async function openTestDatabase(
  options: { migrations?: readonly MigrationSet[]; maxConnections?: number } = {},
): Promise<TestDatabase> {
  const server = process.env['VOUCH_TEST_DATABASE_URL'];
  if (server === undefined) {
    throw new Error('a test with a database belongs into *.integration.test.ts, where one is started (VOUCH_TEST_DATABASE_URL)');
  }
  const sets = [platformMigrations, ...(options.migrations ?? [])];
  const template = await templateFor(server, sets);
  const name = `vouch_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  const connectionString = withDatabase(server, name);
  const database = await connectDatabase({
    connection: connectionString, log: createLogger('silent'), maxConnections: options.maxConnections ?? 10, connectMs,
  });
  // Without new ids, all clones of a template would be copies of one installation.
  await database.query('UPDATE installation SET id = gen_random_uuid(), turn = gen_random_uuid(), next_turn = gen_random_uuid()');
  return {
    ...database,
    connectionString,
    async close() {
      await database.close();
      await onServer(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

async function templateFor(server: string, sets: readonly MigrationSet[]): Promise<string> {
  const migrations = (await Promise.all(sets.map(readMigrations))).flat();
  const hash = createHash('sha256');
  for (const { product, name, checksum } of migrations) hash.update(`${product}/${name}/${checksum}\n`);
  const template = `vouch_template_${hash.digest('hex').slice(0, 24)}`;
  const made = templates.get(template) ?? makeTemplate(server, template, sets);
  templates.set(template, made);
  // The process runs many test files, so a failed template must not make the following files fail.
  made.catch(() => templates.delete(template));
  return made;
}

async function makeTemplate(server: string, template: string, sets: readonly MigrationSet[]): Promise<string> {
  await onServer(server, async (client) => {
    // Test files run in several processes; the first of them creates the template.
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [template]);
    const exists = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (exists.rowCount !== 0) return;
    const unfinished = `${template}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    const database = await connectDatabase({
      connection: withDatabase(server, unfinished), log: createLogger('silent'), maxConnections: 1, connectMs,
    });
    try {
      await migrate(database, sets);
    } finally {
      await database.close();
    }
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
  });
  return template;
}

async function onServer<Result>(server: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client(parseConnection(server));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the connection URL with another database name, for all forms of the URL. */
function withDatabase(connectionString: string, name: string): string {
  return connectionString.replace(/^(\w+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${name}`);
}
