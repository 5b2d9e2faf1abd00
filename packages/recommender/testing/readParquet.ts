import { DuckDBInstance } from '@duckdb/node-api';

/** The rows of a batch's Parquet file in the order of the uploaded file; for tests. */
export async function readParquet(path: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}') ORDER BY row`);
    return reader.getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
