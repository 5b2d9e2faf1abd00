import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, Database } from '../database.ts';
import { listTables, quoteIdentifier, type TableShape } from './tables.ts';

const rowsPerFetch = 1_000;

/** One dumped table: a file with one JSON object per row and line. */
export interface DumpedTable {
  name: string;
  file: string;
  rows: number;
  sha256: string;
}

/** The result of a dump. */
export interface Dump {
  tables: DumpedTable[];
  /** Applied migrations as `product/name`. */
  migrations: string[];
  /** The values that the `select` statements returned, read in the same snapshot. */
  names: string[];
}

/**
 * Writes each table to a file in `folder`. All files show the same moment (one repeatable-read transaction), and other processes continue to work.
 * Rows are JSON, which later PostgreSQL versions can read.
 * @param select statements that return one text column each, read in the same snapshot (e.g. names of blobs)
 * @throws the reason of `signal`, within the next thousand rows
 */
export async function dumpTables(database: Database, folder: string, select: readonly string[], signal?: AbortSignal): Promise<Dump> {
  return database.transaction(async (transaction) => {
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const tables: DumpedTable[] = [];
    for (const table of await listTables(transaction)) {
      if (table.name !== 'migrations') tables.push(await dumpTable(transaction, table, folder, signal));
    }
    const migrations = await transaction.query<{ name: string }>(
      `SELECT product || '/' || name AS name FROM migrations ORDER BY product, name`,
    );
    const names = new Set<string>();
    for (const statement of select) {
      const result = await transaction.query<Record<string, string | null>>(statement);
      for (const row of result.rows) for (const name of Object.values(row)) if (name !== null) names.add(name);
    }
    return { tables, migrations: migrations.rows.map(({ name }) => name), names: [...names].sort() };
  });
}

async function dumpTable(transaction: Connection, table: TableShape, folder: string, signal?: AbortSignal): Promise<DumpedTable> {
  const fileName = `${table.name}.jsonl`;
  const file = await open(join(folder, fileName), 'w', 0o600);
  try {
    const read = await readTable(transaction, table, (text) => {
      signal?.throwIfAborted();
      return file.write(text);
    });
    await file.sync();
    return { name: table.name, file: fileName, ...read };
  } finally {
    await file.close();
  }
}

/** Reads all rows of a table as a dump has them, in one transaction. @param write called with some lines of the dump at a time */
export async function readTable(transaction: Connection, table: TableShape, write: (text: string) => unknown = () => null): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  const order = table.primaryKey.length === 0 ? '' : ` ORDER BY ${table.primaryKey.map(quoteIdentifier).join(', ')}`;
  let rows = 0;
  await transaction.query(
    `DECLARE dumped NO SCROLL CURSOR FOR SELECT to_jsonb(dumped_row)::text AS text
     FROM (SELECT ${table.columns.map(quoteIdentifier).join(', ')} FROM ${quoteIdentifier(table.name)}${order}) AS dumped_row`,
  );
  for (;;) {
    const fetched = await transaction.query<{ text: string }>(`FETCH ${rowsPerFetch} FROM dumped`);
    if (fetched.rows.length === 0) break;
    const text = fetched.rows.map((row) => `${row.text}\n`).join('');
    hash.update(text);
    await write(text);
    rows += fetched.rows.length;
  }
  await transaction.query('CLOSE dumped');
  return { rows, sha256: hash.digest('hex') };
}
