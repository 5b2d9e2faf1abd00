import type { Connection } from '../database.ts';

/** A table of Vouch with its columns. */
export interface TableShape {
  name: string;
  /** Columns with stored values; generated columns are left out. */
  columns: string[];
  primaryKey: string[];
  /** Columns of type jsonb that are NOT NULL. */
  requiredJson: string[];
}

/** Lists the tables of the current schema. Referenced tables come before the tables that reference them, so rows can be inserted in this order. */
export async function listTables(connection: Connection): Promise<TableShape[]> {
  const tables = await connection.query<TableShape & { references: string[] }>(`
    SELECT
      pg_class.relname AS name,
      ARRAY(
        SELECT attname::text FROM pg_attribute
        WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
        ORDER BY attnum
      ) AS columns,
      ARRAY(
        SELECT attname::text FROM pg_index
        JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
        WHERE indrelid = pg_class.oid AND indisprimary
        ORDER BY attnum
      ) AS "primaryKey",
      ARRAY(
        SELECT attname::text FROM pg_attribute
        WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attnotnull AND atttypid = 'jsonb'::regtype
      ) AS "requiredJson",
      ARRAY(
        SELECT DISTINCT confrelid::regclass::text FROM pg_constraint
        WHERE conrelid = pg_class.oid AND contype = 'f' AND confrelid <> pg_class.oid
      ) AS references
    FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    ORDER BY relname`);
  return inReferenceOrder(tables.rows);
}

function inReferenceOrder(tables: (TableShape & { references: string[] })[]): TableShape[] {
  const ordered: TableShape[] = [];
  const placed = new Set<string>();
  while (ordered.length < tables.length) {
    const ready = tables.filter(
      (table) => !placed.has(table.name) && table.references.every((name) => placed.has(name.replaceAll('"', ''))),
    );
    if (ready.length === 0) throw new Error('the foreign keys of tables form a cycle, which a restore cannot fill');
    for (const { name, columns, primaryKey, requiredJson } of ready) {
      placed.add(name);
      ordered.push({ name, columns, primaryKey, requiredJson });
    }
  }
  return ordered;
}

/** Quotes an identifier for SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
