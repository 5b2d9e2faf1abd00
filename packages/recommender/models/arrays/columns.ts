import { DuckDBBlobValue, DuckDBBlobVector, DuckDBDoubleVector, DuckDBIntegerVector, type DuckDBDataChunk } from '@duckdb/node-api';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Returns a query with the named text columns as UTF-8 bytes, for `textColumn`. Texts must be read as bytes, because the text reader of
 * @duckdb/node-api leaves out a U+FEFF at the beginning, so that two ids become one.
 */
export function withTextAsBytes(sql: string, columns: readonly string[]): string {
  return `SELECT * REPLACE (${columns.map((column) => `encode("${column}") AS "${column}"`).join(', ')}) FROM (${sql}\n)`;
}

/**
 * Returns a function that reads a text column of a chunk, whose query gives the text as bytes; null for NULL.
 * @throws TypeError if the column has another type
 */
export function textColumn(chunk: DuckDBDataChunk, column: number): (row: number) => string | null {
  const vector = chunk.getColumnVector(column);
  if (!(vector instanceof DuckDBBlobVector)) throw new TypeError(`column ${column} is not text as bytes`);
  return (row) => {
    const bytes = vector.getItemBytes(row);
    return bytes === null ? null : decoder.decode(bytes);
  };
}

/** Returns the text of a value that the query gives as bytes; null for NULL. */
export function textOf(value: unknown): string | null {
  return value instanceof DuckDBBlobValue ? decoder.decode(value.bytes) : null;
}

/**
 * Returns a column of 32-bit integers or doubles.
 * @throws TypeError if the column has another type
 */
export function numberColumn(chunk: DuckDBDataChunk, column: number): DuckDBIntegerVector | DuckDBDoubleVector {
  const vector = chunk.getColumnVector(column);
  if (vector instanceof DuckDBIntegerVector || vector instanceof DuckDBDoubleVector) return vector;
  throw new TypeError(`column ${column} is not a number`);
}
