// Replaces spark-submit on machines without Spark: runs the same job with the same SQL statements in DuckDB. Arguments: options,
// the driver, the job.
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openDuckDb, parquetTable } from '../../../packages/recommender/models/arrays/duckdb.ts';
import type { SparkJob } from '../../../packages/recommender/models/spark/sparkJob.ts';

if (process.argv.includes('--version')) process.exit(0);
const [driver, path] = process.argv.slice(-2);
if (path === undefined || basename(driver ?? '') !== 'driver.py') throw new Error('usage: duckDbSubmit.ts <options> driver.py <job>');
const job = JSON.parse(await readFile(path, 'utf8')) as SparkJob;
const connection = await openDuckDb({ memory: '1GB', threads: 1, temporaryFolder: join(path, '..', 'duckdb') });
const local = (uri: string): string => uri.replace(/^file:\/\//, '');

for (const { name, paths, columns, sequences } of job.tables) {
  const sequence = sequences === null ? '' : ', sequence BIGINT';
  const joined = sequences === null ? '' : ` JOIN (${sequences}) AS sequences ON sequences.file_name = parse_filename(files.filename)`;
  await connection.run(
    paths.length === 0
      ? `CREATE TABLE ${name} (${columns}${sequence})`
      : `CREATE TABLE ${name} AS SELECT * EXCLUDE (${sequences === null ? 'filename' : 'filename, file_name'})
         FROM ${parquetTable(paths.map(local), 'filename = true')} AS files${joined}`,
  );
}
await connection.run(`CREATE TABLE parameters AS ${job.parameters}`);
for (const [at, { table, sql, output }] of job.steps.entries()) {
  if (output === null) await connection.run(`CREATE TABLE ${table} AS ${sql}`);
  else {
    await mkdir(local(output), { recursive: true });
    await connection.run(`COPY (${sql}) TO '${join(local(output), 'part-00000.parquet')}' (FORMAT parquet, COMPRESSION zstd)`);
  }
  console.log(`done ${at + 1} of ${job.steps.length}`);
}
connection.closeSync();
