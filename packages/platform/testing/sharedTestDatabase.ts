import { afterAll } from 'vitest';
import { openTestDatabase, type TestDatabase } from './testDatabase.ts';

/** Tables and migrations of the database when it is opened. */
interface Fresh {
  tables: readonly string[];
  migrations: readonly string[];
}

/** Tables that keep their rows: the applied migrations, and the row that a migration inserts. */
const keptTables = ['migrations', 'installation'];

/**
 * Returns a function that opens a database for one test. Call this function at the top of a test file or of a `describe`. All tests get the same
 * database, emptied and with a new installation id, which takes less processor time than a new database. Tables and migrations that a test added are
 * removed. The database is removed after the last test; `close` does nothing.
 */
export function sharedTestDatabase(options: Parameters<typeof openTestDatabase>[0] = {}): () => Promise<TestDatabase> {
  let shared: { database: TestDatabase; fresh: Fresh } | null = null;
  afterAll(async () => shared?.database.close());
  return async () => {
    if (shared === null) {
      const database = await openTestDatabase(options);
      shared = { database, fresh: { tables: await tablesOf(database), migrations: await migrationsOf(database) } };
    } else await empty(shared.database, shared.fresh);
    return { ...shared.database, close: async () => {} };
  };
}

async function tablesOf(database: TestDatabase): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(`SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`);
  return rows.map(({ name }) => name);
}

async function migrationsOf(database: TestDatabase): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(`SELECT product || '/' || name AS name FROM migrations`);
  return rows.map(({ name }) => name);
}

async function empty(database: TestDatabase, { tables, migrations }: Fresh): Promise<void> {
  // The test before may have ended the connections of the pool, which notices this by the first query at the latest.
  const present = await tablesOf(database).catch(() => tablesOf(database));
  const added = present.filter((name) => !tables.includes(name));
  if (added.length > 0) await database.query(`DROP TABLE ${added.join(', ')} CASCADE`);
  const looks = tables.filter((name) => !keptTables.includes(name)).map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name})`);
  const { rows } = await database.query<{ name: string }>(looks.join(' UNION ALL '));
  if (rows.length > 0) await database.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} RESTART IDENTITY CASCADE`);
  await database.query(`DELETE FROM migrations WHERE NOT (product || '/' || name = ANY($1))`, [migrations]);
  await database.query('UPDATE installation SET id = gen_random_uuid(), turn = gen_random_uuid(), next_turn = gen_random_uuid()');
}
