import type { DuckDBConnection } from '@duckdb/node-api';
import type { TrainingData } from '../../engine/data/trainingData.ts';
import { ofEachResult, readStatement, snapshotParameters, snapshotResults, snapshotSteps, type SnapshotResult } from '../sql/statements.ts';
import { numberColumn, textColumn } from './columns.ts';
import { createSnapshotViews, forEachChunk, openDuckDb, parquetTable, runSteps, type DuckDbLimits } from './duckdb.ts';
import type { DataSummary, SnapshotFile } from './trainingSnapshot.ts';

/** Maximum number of types in a training record. If a wrong column is used as type, every row can have a different type. */
const typesShown = 100;

/** The SQL statement for each result of a snapshot, in the order of the result's rows. */
type ResultQueries = Readonly<Record<SnapshotResult, string>>;

/** Paths of the Parquet files that another SQL engine wrote for each result, in the order of their rows. */
export type SnapshotResultFiles = Readonly<Record<SnapshotResult, readonly string[]>>;

/**
 * Reads a snapshot of Parquet blobs into the arrays for training.
 * @param files every batch of the snapshot
 * @param cutoffMs older interactions are ignored, interactions without a time are not; null keeps all
 * @param progress receives fractions 0 to 1
 */
export async function readTrainingData(
  files: readonly SnapshotFile[],
  cutoffMs: number | null,
  limits: DuckDbLimits,
  progress: (fraction: number) => void,
): Promise<{ data: TrainingData; summary: DataSummary }> {
  const connection = await openDuckDb(limits);
  try {
    await createSnapshotViews(connection, files);
    await runSteps(connection, snapshotParameters(cutoffMs), snapshotSteps, (count) => progress(0.2 * count));
    const queries = await ofEachResult((name) => readStatement(snapshotResults[name].file));
    return await readResults(connection, queries, 'latest_pairs', files.length, (fraction) => progress(0.6 + 0.4 * fraction));
  } finally {
    connection.closeSync();
  }
}

/**
 * Reads a snapshot that another SQL engine has prepared into the same arrays.
 * @param batches number of files in the snapshot
 */
export async function readPreparedData(
  files: SnapshotResultFiles,
  batches: number,
  limits: DuckDbLimits,
  progress: (fraction: number) => void,
): Promise<{ data: TrainingData; summary: DataSummary }> {
  const connection = await openDuckDb(limits);
  try {
    const queries = await ofEachResult(async (name) => `SELECT * FROM ${parquetTable(files[name])}`);
    return await readResults(connection, queries, parquetTable(files.pairRows), batches, progress);
  } finally {
    connection.closeSync();
  }
}

/** @param pairs name of the table of pairs, whose rows are counted */
async function readResults(
  connection: DuckDBConnection, queries: ResultQueries, pairs: string, batches: number, progress: (fraction: number) => void,
): Promise<{ data: TrainingData; summary: DataSummary }> {
  const nodes = await readNodes(connection, queries.nodeRows);
  progress(0.3);
  const counted = await connection.runAndReadAll(`SELECT CAST(count(*) AS DOUBLE) FROM ${pairs}`);
  const read = await readPairs(connection, queries.pairRows, Number(counted.getRows()[0]?.[0] ?? 0));
  progress(0.9);
  const summary = await summarize(connection, queries, read.count, batches);
  progress(1);
  return { data: { ...nodes, pairs: read }, summary };
}

async function readNodes(connection: DuckDBConnection, sql: string): Promise<Pick<TrainingData, 'types' | 'nodes'>> {
  const ids: string[] = [];
  const typeNames: (string | null)[] = [];
  const names: string[] = [];
  const mediaUrls: string[] = [];
  const metadata: string[] = [];
  await forEachChunk(connection, sql, (chunk) => {
    const [id, type, name, mediaUrl, json] = [1, 2, 3, 4, 5].map((column) => textColumn(chunk, column));
    for (let row = 0; row < chunk.rowCount; row += 1) {
      ids.push(id!.getItem(row) ?? '');
      typeNames.push(type!.getItem(row));
      names.push(name!.getItem(row) ?? '');
      mediaUrls.push(mediaUrl!.getItem(row) ?? '');
      metadata.push(json!.getItem(row) ?? '');
    }
  });
  const types = [...new Set(typeNames.filter((name) => name !== null))].sort();
  const number = new Map(types.map((name, index) => [name, index]));
  const type = Int32Array.from(typeNames, (name) => (name === null ? -1 : number.get(name)!));
  return { types, nodes: { count: ids.length, ids, type, names, mediaUrls, metadata } };
}

async function readPairs(connection: DuckDBConnection, sql: string, count: number): Promise<TrainingData['pairs']> {
  const pairs = { count, source: new Int32Array(count), target: new Int32Array(count), time: new Float64Array(count) };
  let at = 0;
  await forEachChunk(connection, sql, (chunk) => {
    const source = numberColumn(chunk, 0);
    const target = numberColumn(chunk, 1);
    const time = numberColumn(chunk, 2);
    for (let row = 0; row < chunk.rowCount; row += 1, at += 1) {
      pairs.source[at] = source.getItem(row)!;
      pairs.target[at] = target.getItem(row)!;
      pairs.time[at] = time.getItem(row) ?? Number.NaN;
    }
  });
  return pairs;
}

async function summarize(
  connection: DuckDBConnection,
  queries: ResultQueries,
  used: number,
  batches: number,
): Promise<DataSummary> {
  const entities = (await connection.runAndReadAll(queries.entityCounts)).getRows();
  const interactions = await connection.runAndReadAll(queries.interactionCounts);
  const byType = interactions.getRows().map(([type, total, self, tooOld, withTime, newest]) => ({
    type: String(type ?? ''),
    total: Number(total),
    self: Number(self),
    tooOld: Number(tooOld),
    withTime: Number(withTime),
    newest: newest === null || newest === undefined ? Number.NEGATIVE_INFINITY : Number(newest),
  }));
  const total = (pick: (row: (typeof byType)[number]) => number): number =>
    byType.reduce((sum, row) => sum + pick(row), 0);
  const newest = byType.reduce((latest, row) => Math.max(latest, row.newest), Number.NEGATIVE_INFINITY);
  const ignored = { too_old: total((row) => row.tooOld), self: total((row) => row.self) };
  const entityTypes = entities.map(([type, count]) => [String(type), Number(count)] as const);
  return {
    entities: {
      rows: Number(entities[0]?.[2] ?? 0),
      distinct: entityTypes.reduce((sum, [, count]) => sum + count, 0),
      types: entityTypes.length,
      by_type: mostFrequent(entityTypes),
    },
    interactions: {
      rows: total((row) => row.total),
      used,
      types: byType.length,
      by_type: mostFrequent(byType.map((row) => [row.type, row.total])),
      ignored: { ...ignored, repeated: total((row) => row.total) - ignored.too_old - ignored.self - used },
      with_timestamp: total((row) => row.withTime),
      newest_timestamp: Number.isFinite(newest) ? new Date(newest).toISOString() : null,
    },
    batches,
  };
}

/** The most frequent types with their counts; of equal counts, the earlier type comes first. */
function mostFrequent(counts: readonly (readonly [type: string, count: number])[]): Record<string, number> {
  return Object.fromEntries([...counts].sort(([, left], [, right]) => right - left).slice(0, typesShown));
}
