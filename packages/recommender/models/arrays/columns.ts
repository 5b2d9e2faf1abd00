import { DuckDBDoubleVector, DuckDBIntegerVector, DuckDBVarCharVector, type DuckDBDataChunk } from '@duckdb/node-api';

/**
 * Returns a text column of a chunk.
 * @throws TypeError if the column has another type
 */
export function textColumn(chunk: DuckDBDataChunk, column: number): DuckDBVarCharVector {
  const vector = chunk.getColumnVector(column);
  if (!(vector instanceof DuckDBVarCharVector)) throw new TypeError(`column ${column} is not text`);
  return vector;
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
