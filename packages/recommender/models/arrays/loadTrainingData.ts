import type { DuckDBConnection } from '@duckdb/node-api';
import type { TrainingData } from '../../engine/data/trainingData.ts';
import { ofEachResult, loadStatement, snapshotParameters, snapshotResults, snapshotSteps, type SnapshotResult } from '../sql/statements.ts';
import type { TypeWeights } from '../sql/interactionWeights.ts';
import { splitPairs, type PairRows } from './splitPairs.ts';
import { summarize } from './summarize.ts';
import { numberColumn, textColumn, withTextAsBytes } from './columns.ts';
import { createSnapshotViews, forEachChunk, openDuckDb, parquetTable, runSteps, type DuckDbLimits } from './duckdb.ts';
import type { DataSummary, SnapshotFile } from './trainingSnapshot.ts';

/** The SQL statement for each result of a snapshot, in the order of the result's rows. */
type ResultQueries = Readonly<Record<SnapshotResult, string>>;

/** Paths of the Parquet files that another SQL engine wrote for each result, in the order of their rows. */
export type SnapshotResultFiles = Readonly<Record<SnapshotResult, readonly string[]>>;

/**
 * Reads a snapshot of Parquet blobs into the arrays for training.
 * @param files every batch of the snapshot
 * @param cutoffMs older interactions are ignored, interactions without a time are not; null keeps all
 * @param progress receives fractions 0 to 1
 * @param weights weights of interaction types that the request sets
 */
export async function loadTrainingData(
  files: readonly SnapshotFile[],
  cutoffMs: number | null,
  limits: DuckDbLimits,
  progress: (fraction: number) => void,
  weights: TypeWeights = {},
): Promise<{ data: TrainingData; summary: DataSummary }> {
  const connection = await openDuckDb(limits);
  try {
    await createSnapshotViews(connection, files);
    const steps = snapshotSteps(weights);
    await runSteps(connection, snapshotParameters(cutoffMs), steps, (count) => progress((0.6 * count) / steps.length));
    const queries = await ofEachResult((name) => loadStatement(snapshotResults[name].file));
    return await loadResults(connection, queries, 'latest_pairs', files.length, (fraction) => progress(0.6 + 0.4 * fraction));
  } finally {
    connection.closeSync();
  }
}

/**
 * Reads a snapshot that another SQL engine has prepared into the same arrays.
 * @param batches number of files in the snapshot
 */
export async function loadPreparedData(
  files: SnapshotResultFiles,
  batches: number,
  limits: DuckDbLimits,
  progress: (fraction: number) => void,
): Promise<{ data: TrainingData; summary: DataSummary }> {
  const connection = await openDuckDb(limits);
  try {
    const queries = await ofEachResult(async (name) => `SELECT * FROM ${parquetTable(files[name])}`);
    return await loadResults(connection, queries, parquetTable(files.pairRows), batches, progress);
  } finally {
    connection.closeSync();
  }
}

/** @param pairs name of the table of pairs, whose rows are counted */
async function loadResults(
  connection: DuckDBConnection, queries: ResultQueries, pairs: string, batches: number, progress: (fraction: number) => void,
): Promise<{ data: TrainingData; summary: DataSummary }> {
  const nodes = await selectNodes(connection, queries.nodeRows);
  progress(0.3);
  const counted = await connection.runAndReadAll(`SELECT CAST(count(*) AS DOUBLE) FROM ${pairs}`);
  const split = splitPairs(await selectPairs(connection, queries.pairRows, Number(counted.getRows()[0]?.[0] ?? 0)));
  progress(0.9);
  const summary = await summarize(connection, queries, split, batches);
  progress(1);
  const { pairs: liked, dislikes } = split;
  return { data: { ...nodes, pairs: liked, ...(dislikes.count === 0 ? {} : { dislikes }) }, summary };
}

async function selectNodes(connection: DuckDBConnection, sql: string): Promise<Pick<TrainingData, 'types' | 'nodes'>> {
  const ids: string[] = [];
  const typeNames: (string | null)[] = [];
  const names: string[] = [];
  const mediaUrls: string[] = [];
  const metadata: string[] = [];
  await forEachChunk(connection, withTextAsBytes(sql, ['id', 'type', 'name', 'media_url', 'metadata']), (chunk) => {
    const [id, type, name, mediaUrl, json] = [1, 2, 3, 4, 5].map((column) => textColumn(chunk, column));
    for (let row = 0; row < chunk.rowCount; row += 1) {
      ids.push(id!(row) ?? '');
      typeNames.push(type!(row));
      names.push(name!(row) ?? '');
      mediaUrls.push(mediaUrl!(row) ?? '');
      metadata.push(json!(row) ?? '');
    }
  });
  const types = [...new Set(typeNames.filter((name) => name !== null))].sort();
  const number = new Map(types.map((name, index) => [name, index]));
  const type = Int32Array.from(typeNames, (name) => (name === null ? -1 : number.get(name)!));
  return { types, nodes: { count: ids.length, ids, type, names, mediaUrls, metadata } };
}

async function selectPairs(connection: DuckDBConnection, sql: string, count: number): Promise<PairRows> {
  const pairs = {
    count, source: new Int32Array(count), target: new Int32Array(count), time: new Float64Array(count), weight: new Float32Array(count).fill(1),
  };
  let at = 0;
  await forEachChunk(connection, sql, (chunk) => {
    const source = numberColumn(chunk, 0);
    const target = numberColumn(chunk, 1);
    const time = numberColumn(chunk, 2);
    // Rows that an earlier version prepared have no weight.
    const weight = chunk.columnCount > 4 ? numberColumn(chunk, 4) : null;
    for (let row = 0; row < chunk.rowCount; row += 1, at += 1) {
      pairs.source[at] = source.getItem(row)!;
      pairs.target[at] = target.getItem(row)!;
      pairs.time[at] = time.getItem(row) ?? Number.NaN;
      if (weight !== null) pairs.weight[at] = weight.getItem(row) ?? 1;
    }
  });
  return pairs;
}
