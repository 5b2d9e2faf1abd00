import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { connectDatabase } from '@vouch/platform/database/connect';
import { migrate, type MigrationSet } from '@vouch/platform/database/migrate';
import { parseConnection } from '@vouch/platform/database/passfile';
import { createLogger } from '@vouch/platform/log/logger';

/** Databases for runs, cloned from one template, so that all runs begin with the same files. */
export interface Templates {
  /** Clones the template. `remove` drops the clone. */
  clone(): Promise<{ url: string; remove(): Promise<void> }>;
  close(): Promise<void>;
}

/**
 * `now()` of all statements and column defaults is the time of the simulation, which each connection sets. The functions of `public` come before those
 * of PostgreSQL in the search path.
 */
const simulatedNow = `CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT current_setting('simulation.now')::timestamptz $$`;

/** Settings of template and clones. Nothing must happen by the machine's clock, and the database needs not survive. */
const settings = [`search_path = public, pg_catalog`, `simulation.now = '2030-01-01T00:00:00Z'`, 'synchronous_commit = off', 'jit = off', 'statement_timeout = 0', `timezone = 'UTC'`];

export async function openClient(url: string): Promise<Client> {
  const client = new Client(parseConnection(url));
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Creates the template: the tables of the migrations, and further ones.
 * @param url connection URL of any database of a PostgreSQL server
 * @param tables statements that create the tables of the scenario
 */
export async function createTemplate(url: string, sets: readonly MigrationSet[], tables: string): Promise<Templates> {
  const server = await openClient(url);
  const name = `simulation_${randomUUID().slice(0, 8)}`;
  const urlOf = (database: string): string => url.replace(/^(\w+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${database}`);
  const create = async (database: string, template: string): Promise<void> => {
    await server.query(`CREATE DATABASE ${database} TEMPLATE ${template}`);
    for (const setting of settings) await server.query(`ALTER DATABASE ${database} SET ${setting}`);
  };
  await create(name, 'template0');
  const client = await openClient(urlOf(name));
  await client.query(simulatedNow);
  const database = await connectDatabase({ connection: urlOf(name), log: createLogger('silent'), maxConnections: 1 });
  await migrate(database, sets);
  await database.close();
  await client.query(tables);
  // Vacuum and new statistics would change plans, and so the order of rows, at times that the machine decides.
  const { rows } = await client.query<{ name: string }>(`SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`);
  for (const table of rows) await client.query(`ALTER TABLE ${table.name} SET (autovacuum_enabled = false)`);
  await client.end();
  let clones = 0;
  return {
    async clone() {
      const clone = `${name}_${clones++}`;
      await create(clone, name);
      return { url: urlOf(clone), remove: async () => { await server.query(`DROP DATABASE IF EXISTS ${clone} WITH (FORCE)`); } };
    },
    async close() {
      await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await server.end();
    },
  };
}
