import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Connection, Database } from '../database.ts';
import { DatabaseFault } from '../databaseFault.ts';
import { readTable, type DumpedTable } from './dumpTables.ts';
import { listTables, quoteIdentifier, type TableShape } from './tables.ts';

const rowsPerInsert = 500;
/**
 * A migration inserts the row of this table. A restore replaces this row by the row of the backup, so the restored database is the same installation.
 */
const ownRowTable = 'installation';

/** Returns the name of a table with rows, or null if the database is empty. */
export async function findFilledTable(database: Database): Promise<string | null> {
  for (const { name } of await listTables(database)) {
    if (name === 'migrations' || name === ownRowTable) continue;
    const result = await database.query(`SELECT 1 FROM ${quoteIdentifier(name)} LIMIT 1`);
    if (result.rows.length > 0) return name;
  }
  return null;
}

/**
 * Returns the name of a table whose rows differ from those of a dump, or null if none does. The table with the row of the installation does not count: the row changes
 * when the restored installation opens its blob store.
 */
export async function findDifferentTable(database: Database, dumped: readonly DumpedTable[]): Promise<string | null> {
  return database.transaction(async (transaction) => {
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    for (const shape of await listTables(transaction)) {
      if (shape.name === 'migrations' || shape.name === ownRowTable) continue;
      const table = dumped.find(({ name }) => name === shape.name);
      const { rows, sha256 } = await readTable(transaction, shape);
      if (rows !== (table?.rows ?? 0) || (table !== undefined && sha256 !== table.sha256)) return shape.name;
    }
    return null;
  });
}

/**
 * Fills the empty tables of a migrated database from the files of `dumpTables`, in one transaction.
 * @param folder folder with the dumped files
 * @throws DatabaseFault if a file is damaged or missing, or this program lacks a dumped table; the reason of `signal`
 */
export async function restoreTables(database: Database, folder: string, dumped: readonly DumpedTable[], signal?: AbortSignal): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const shapes = await listTables(transaction);
    const unknown = dumped.find(({ name }) => !shapes.some((shape) => shape.name === name));
    if (unknown !== undefined) {
      throw new DatabaseFault(`The backup contains the table ${unknown.name}, which this release does not have. Restore the backup with the release that wrote it.`);
    }
    for (const shape of shapes) {
      const table = dumped.find(({ name }) => name === shape.name);
      if (table !== undefined) await restoreTable(transaction, shape, table, folder, signal);
    }
    await continueSequences(transaction);
  });
}

async function restoreTable(transaction: Connection, shape: TableShape, table: DumpedTable, folder: string, signal?: AbortSignal): Promise<void> {
  const columns = shape.columns.map(quoteIdentifier).join(', ');
  const values = shape.columns.map((name) => valueOf(quoteIdentifier(name), shape.requiredJson.includes(name))).join(', ');
  const insert = `
    INSERT INTO ${quoteIdentifier(shape.name)} (${columns}) OVERRIDING SYSTEM VALUE
    SELECT ${values} FROM jsonb_populate_recordset(NULL::${quoteIdentifier(shape.name)}, $1::jsonb)`;
  const path = join(folder, table.file);
  await checkFile(path, table);
  signal?.throwIfAborted();
  if (shape.name === ownRowTable) await transaction.query(`DELETE FROM ${quoteIdentifier(ownRowTable)}`);
  let waiting: string[] = [];
  for await (const line of readLines(path)) {
    waiting.push(line);
    if (waiting.length < rowsPerInsert) continue;
    signal?.throwIfAborted();
    await transaction.query(insert, [`[${waiting.join(',')}]`]);
    waiting = [];
  }
  if (waiting.length > 0) await transaction.query(insert, [`[${waiting.join(',')}]`]);
}

/**
 * In a dumped row, SQL NULL and the JSON value null are both `null`, and a restore reads both as SQL NULL. In a column that must have a value, it was
 * the JSON value.
 */
function valueOf(column: string, requiredJson: boolean): string {
  return requiredJson ? `coalesce(${column}, 'null'::jsonb)` : column;
}

/** Checks a file before its first row is inserted, because PostgreSQL's error for a truncated line names neither the file nor a remedy. */
async function checkFile(path: string, table: DumpedTable): Promise<void> {
  const hash = createHash('sha256');
  let rows = 0;
  try {
    for await (const line of readLines(path)) {
      hash.update(`${line}\n`);
      rows += 1;
    }
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new DatabaseFault(`The file ${path} of the backup cannot be read (${code}). Copy the backup again.`, { cause: error });
  }
  if (rows !== table.rows || hash.digest('hex') !== table.sha256) {
    throw new DatabaseFault(`The file ${path} differs from the file that the backup wrote (${rows} rows, ${table.rows} expected). Copy the backup again.`);
  }
}

/** Splits at line feeds only: readline would also split at U+2028 inside text. */
async function* readLines(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Advances the sequences of identity columns, so that they do not repeat numbers of restored rows. */
async function continueSequences(transaction: Connection): Promise<void> {
  const owned = await transaction.query<{ sequence: string; table_name: string; column_name: string }>(`
    SELECT pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence, table_name, column_name
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL`);
  for (const { sequence, table_name: table, column_name: column } of owned.rows) {
    await transaction.query(
      `SELECT setval($1::regclass, coalesce(max(${quoteIdentifier(column)}), 0) + 1, false) FROM ${quoteIdentifier(table)}`,
      [sequence],
    );
  }
}
