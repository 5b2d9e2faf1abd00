import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connection, Database } from './database.ts';
import { DatabaseFault } from './databaseFault.ts';

/**
 * The numbered SQL files of one product. A file that begins with `-- backward-compatible: <why>` changes nothing that earlier releases rely on: they
 * work beside this release, and start on its database again. It adds only tables, columns that may be absent from an INSERT, and indexes.
 */
export interface MigrationSet {
  product: string;
  /** Folder with files named like `0001_jobs.sql`. */
  folder: URL | string;
}

/** One numbered SQL file of a product. */
export interface Migration {
  product: string;
  name: string;
  sql: string;
  /** SHA-256 of the text with Unix line endings. */
  checksum: string;
  /** Whether releases without the file can use the database. */
  isBackwardCompatible: boolean;
}

/** The platform's own tables, which are created before those of the products. */
export const platformMigrations: MigrationSet = {
  product: 'platform',
  folder: new URL('./migrations/', import.meta.url),
};

const fileName = /^\d{4}_[A-Za-z0-9_]+\.sql$/;
/** Advisory lock that each migration takes first, in all processes. The number is arbitrary and must never change. */
const lockNumber = 7_303_014_551;

/** Reads the migrations of one product, in the order in which they are applied. */
export async function readMigrations(set: MigrationSet): Promise<Migration[]> {
  const folder = typeof set.folder === 'string' ? set.folder : fileURLToPath(set.folder);
  const names = (await readdir(folder)).filter((name) => fileName.test(name)).sort();
  return Promise.all(names.map(async (name) => {
    const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
    return { product: set.product, name, sql, checksum: createHash('sha256').update(sql).digest('hex'), isBackwardCompatible: sql.startsWith('-- backward-compatible:') };
  }));
}

/**
 * Migrates the database to the state that this program requires: applies missing files, each in its own transaction. Several processes may call this
 * function at once.
 * @returns names of the applied files, as `product/0001_name.sql`
 * @throws DatabaseFault if an applied file was changed, or a newer release applied a file that is not backward-compatible
 */
export async function migrate(database: Database, sets: readonly MigrationSet[]): Promise<string[]> {
  await database.transaction(async (transaction) => {
    await lock(transaction);
    await transaction.query(`CREATE TABLE IF NOT EXISTS migrations (
      product text NOT NULL, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (product, name))`);
    const { rows } = await transaction.query(`SELECT FROM pg_attribute WHERE attrelid = 'migrations'::regclass AND attname = 'is_backward_compatible'`);
    // Earlier releases made the table without the column.
    if (rows.length === 0) await transaction.query('ALTER TABLE migrations ADD COLUMN is_backward_compatible boolean NOT NULL DEFAULT false');
  });
  const applied: string[] = [];
  for (const set of sets) {
    const migrations = await readMigrations(set);
    await refuseNewer(database, set.product, migrations);
    for (const migration of migrations) {
      if (await database.transaction((transaction) => apply(transaction, migration))) {
        applied.push(`${migration.product}/${migration.name}`);
      }
    }
  }
  return applied;
}

async function lock(transaction: Connection): Promise<void> {
  await transaction.query(`SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${lockNumber})`);
}

async function apply(transaction: Connection, { product, name, sql, checksum, isBackwardCompatible }: Migration): Promise<boolean> {
  await lock(transaction);
  const { rows } = await transaction.query<{ checksum: string }>(
    'SELECT checksum FROM migrations WHERE product = $1 AND name = $2', [product, name]);
  const known = rows[0];
  if (known !== undefined) {
    if (known.checksum === checksum) return false;
    throw new DatabaseFault(`The migration ${product}/${name} was changed after this database applied it: ` +
      'restore the file of the release that applied it, and make the change in a new file with the next number.');
  }
  await transaction.query(sql);
  await transaction.query(
    'INSERT INTO migrations (product, name, checksum, is_backward_compatible) VALUES ($1, $2, $3, $4)', [product, name, checksum, isBackwardCompatible]);
  return true;
}

async function refuseNewer(database: Connection, product: string, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    'SELECT name FROM migrations WHERE product = $1 AND NOT is_backward_compatible ORDER BY name', [product]);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = rows.find(({ name }) => !known.has(name));
  if (unknown === undefined) return;
  throw new DatabaseFault(`The database has the migration ${product}/${unknown.name}, which this release does not know: ` +
    'a newer release applied it. Start the newer release, or restore a backup made before the update.');
}
