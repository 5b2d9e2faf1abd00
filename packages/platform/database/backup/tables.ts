import type { Connection } from '../database.ts';

/** A table of ours with its columns, in an order in which rows can be inserted (referenced tables first). */
export interface TableShape {
  name: string;
  /** Columns that hold values of their own; generated ones are left out. */
  columns: string[];
  primaryKey: string[];
  /** Those columns of JSON that must have a value. */
  requiredJson: string[];
}

/** Every table of the current schema, referenced tables before those that reference them. */
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
    if (ready.length === 0) throw new Error('tables reference each other in a circle, which a restore cannot fill');
    for (const { name, columns, primaryKey, requiredJson } of ready) {
      placed.add(name);
      ordered.push({ name, columns, primaryKey, requiredJson });
    }
  }
  return ordered;
}

/** An identifier as SQL text. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
