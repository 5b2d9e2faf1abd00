import { DuckDBInstance, type DuckDBConnection, type DuckDBDataChunk } from '@duckdb/node-api';
import { textOf, type Step } from '../sql/statements.ts';
import { tableColumns, type SnapshotFile } from './trainingSnapshot.ts';

export interface DuckDbLimits {
  /** Memory limit in DuckDB's notation, e.g. `1GB`; larger intermediate results spill into `temporaryFolder`. */
  memory: string;
  threads: number;
  temporaryFolder: string;
}

/** Opens an in-memory DuckDB that reads only files named by the caller and loads no extensions. */
export async function openDuckDb(limits: DuckDbLimits): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: limits.memory,
    threads: String(limits.threads),
    temp_directory: limits.temporaryFolder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  // Statements use the name that Spark has for this function.
  await connection.run('CREATE TEMPORARY MACRO get_json_object(json, path) AS json_extract_string(json, path)');
  return connection;
}

/** Creates the views `entities` and `interactions` over the snapshot; each row includes the upload order of its file. */
export async function createSnapshotViews(connection: DuckDBConnection, files: readonly SnapshotFile[]): Promise<void> {
  await connection.run('CREATE TEMPORARY TABLE snapshot_files (path VARCHAR, sequence BIGINT)');
  for (const file of files) {
    await connection.run('INSERT INTO snapshot_files VALUES ($1, $2)', [file.path, BigInt(file.sequence)]);
  }
  await createView(connection, 'entities', 'entity', files);
  await createView(connection, 'interactions', 'interaction', files);
}

async function createView(
  connection: DuckDBConnection,
  view: string,
  kind: SnapshotFile['kind'],
  files: readonly SnapshotFile[],
): Promise<void> {
  // Two uploads with equal content are one file with two upload orders.
  const paths = [...new Set(files.filter((file) => file.kind === kind).map(({ path }) => path))];
  if (paths.length === 0) {
    await connection.run(`CREATE TEMPORARY TABLE ${view} (${tableColumns[kind]}, sequence BIGINT)`);
    return;
  }
  await connection.run(`
    CREATE TEMPORARY VIEW ${view} AS
    SELECT parquet.* EXCLUDE (filename), snapshot_files.sequence
    FROM ${parquetTable(paths, 'filename = true')} AS parquet
    JOIN snapshot_files ON snapshot_files.path = parquet.filename`);
}

/** SQL expression for the rows of several Parquet files, for a FROM clause. */
export function parquetTable(paths: readonly string[], options = ''): string {
  const list = paths.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ');
  return `read_parquet([${list}]${options === '' ? '' : `, ${options}`})`;
}

/**
 * Runs statements in order and stores each result as a table with the statement's table name.
 * @param done called after each statement
 */
export async function runSteps(
  connection: DuckDBConnection,
  parameters: string,
  steps: readonly Step[],
  done: (count: number) => void = () => {},
): Promise<void> {
  await connection.run(`CREATE TEMPORARY TABLE parameters AS ${parameters}`);
  for (const [at, step] of steps.entries()) {
    await connection.run(`CREATE TEMPORARY TABLE ${step.table} AS ${await textOf(step)}`);
    done(at + 1);
  }
}

/** Calls `visit` with every chunk of a result, in order, without holding all chunks in memory. */
export async function forEachChunk(
  connection: DuckDBConnection,
  sql: string,
  visit: (chunk: DuckDBDataChunk) => void,
): Promise<void> {
  const result = await connection.stream(sql);
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    visit(chunk);
  }
}
