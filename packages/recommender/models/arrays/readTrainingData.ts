import { readFile } from 'node:fs/promises';
import {
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  DuckDBVarCharVector,
  type DuckDBConnection,
  type DuckDBDataChunk,
} from '@duckdb/node-api';
import type { TrainingData } from '../../engine/trainingData.ts';
import { createSnapshotViews, forEachChunk, openDuckDb, type DuckDbLimits } from './duckdb.ts';
import type { DataSummary, SnapshotFile } from './trainingSnapshot.ts';

/** A file whose types are all different, a column taken for another, must not make a record of its own size. */
const typesShown = 100;

/** Smaller than any time a file can hold: keeps every row. */
const keepEverything = -8_640_000_000_000_000n;

/**
 * Reads a snapshot of Parquet blobs into the arrays that training works on.
 * @param files every batch of the snapshot
 * @param cutoffMs interactions with an older time are ignored, those without a time never; null keeps all
 * @param progress called with 0 to 1
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
    const cutoff = cutoffMs === null ? keepEverything : BigInt(Math.ceil(cutoffMs));
    await connection.run(await statement('latestEntities'));
    progress(0.2);
    await connection.run(await statement('latestPairs'), { cutoff });
    progress(0.5);
    await connection.run(await statement('nodes'));
    progress(0.6);
    const nodes = await readNodes(connection);
    progress(0.7);
    const pairs = await readPairs(connection);
    progress(0.9);
    const summary = await summarize(connection, cutoff, pairs.count, files.length);
    progress(1);
    return { data: { ...nodes, pairs }, summary };
  } finally {
    connection.closeSync();
  }
}

/** The statements are files, so that another SQL engine can run the same ones over the same blobs. */
async function statement(name: string): Promise<string> {
  return readFile(new URL(`./${name}.sql`, import.meta.url), 'utf8');
}

async function readNodes(connection: DuckDBConnection): Promise<Pick<TrainingData, 'types' | 'nodes'>> {
  const ids: string[] = [];
  const typeNames: (string | null)[] = [];
  const names: string[] = [];
  const mediaUrls: string[] = [];
  const metadata: string[] = [];
  await forEachChunk(connection, await statement('readNodes'), (chunk) => {
    const [id, type, name, mediaUrl, json] = [0, 1, 2, 3, 4].map((column) => textColumn(chunk, column));
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

async function readPairs(connection: DuckDBConnection): Promise<TrainingData['pairs']> {
  const counted = await connection.runAndReadAll('SELECT CAST(count(*) AS DOUBLE) FROM latest_pairs');
  const count = Number(counted.getRows()[0]?.[0] ?? 0);
  const pairs = { count, source: new Int32Array(count), target: new Int32Array(count), time: new Float64Array(count) };
  let at = 0;
  await forEachChunk(connection, await statement('readPairs'), (chunk) => {
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

function textColumn(chunk: DuckDBDataChunk, column: number): DuckDBVarCharVector {
  const vector = chunk.getColumnVector(column);
  if (!(vector instanceof DuckDBVarCharVector)) throw new TypeError(`column ${column} is not text`);
  return vector;
}

function numberColumn(chunk: DuckDBDataChunk, column: number): DuckDBIntegerVector | DuckDBDoubleVector {
  const vector = chunk.getColumnVector(column);
  if (vector instanceof DuckDBIntegerVector || vector instanceof DuckDBDoubleVector) return vector;
  throw new TypeError(`column ${column} is not a number`);
}

async function summarize(
  connection: DuckDBConnection,
  cutoff: bigint,
  used: number,
  batches: number,
): Promise<DataSummary> {
  const entities = await connection.runAndReadAll(await statement('countEntities'));
  const interactions = await connection.runAndReadAll(await statement('countInteractions'), { cutoff });
  const entityRows = await connection.runAndReadAll('SELECT CAST(count(*) AS DOUBLE) FROM entities');
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
  const entityTypes = entities.getRows().map(([type, count]) => [String(type), Number(count)] as const);
  return {
    entities: {
      rows: Number(entityRows.getRows()[0]?.[0] ?? 0),
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

/** The most frequent types with their counts; among equals those that come first. */
function mostFrequent(counts: readonly (readonly [type: string, count: number])[]): Record<string, number> {
  return Object.fromEntries([...counts].sort(([, left], [, right]) => right - left).slice(0, typesShown));
}
