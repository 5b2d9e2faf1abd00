import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const thisFile = fileURLToPath(import.meta.url);

/** Runs DuckDB's built-in conversion from CSV to Parquet in a new process. Returns the duration of the statement in seconds. */
export async function runYardstick(csvPath: string, parquetPath: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), thisFile, csvPath, parquetPath]);
  return Number(stdout);
}

async function convert(csvPath: string, parquetPath: string): Promise<number> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const started = performance.now();
  await connection.run(
    `COPY (SELECT * FROM read_csv(${quote(csvPath)})) TO ${quote(parquetPath)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)`,
  );
  return (performance.now() - started) / 1000;
}

const [, script, csvPath, parquetPath] = process.argv;
if (script === thisFile && csvPath !== undefined && parquetPath !== undefined) console.log(await convert(csvPath, parquetPath));
