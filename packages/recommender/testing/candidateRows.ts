import type { DuckDBConnection } from '@duckdb/node-api';
import { numberItems } from '../engine/catalogue/numberItems.ts';
import { buildHistory } from '../engine/matrix/buildHistory.ts';
import { toInteractions } from '../engine/matrix/interactions.ts';
import { GramRow } from '../engine/neighbours/gramRow.ts';
import type { TrainingData } from '../engine/data/trainingData.ts';
import { numberColumn } from '../models/arrays/columns.ts';
import { createSnapshotViews, forEachChunk, openDuckDb, parquetTable, runSteps, type DuckDbLimits } from '../models/arrays/duckdb.ts';
import type { SnapshotFile } from '../models/arrays/trainingSnapshot.ts';
import {
  candidateParameters, candidateResult, candidateSteps, loadStatement, snapshotParameters, snapshotResults, snapshotSteps,
} from '../models/sql/statements.ts';

/** Candidates by `item/type of the candidate`, each with its weighted number of common users; for comparisons in tests. */
export type CandidateRows = Map<string, Map<number, number>>;

type Powers = { pu: number; pb: number };

/** Candidates as selected by the kernels. */
export function candidatesOfKernels(data: TrainingData, { pu, pb }: Powers): CandidateRows {
  const catalogue = numberItems(data);
  const { itemNode, itemGroup, targetTypes } = catalogue;
  const interactions = toInteractions(buildHistory(data, catalogue), itemNode.length);
  const row = new GramRow(interactions, itemGroup, targetTypes.length, pu, pb);
  const rows: CandidateRows = new Map();
  for (let item = 0; item < interactions.items; item += 1) {
    row.fill(item);
    for (let group = 0; group < targetTypes.length; group += 1) {
      const start = row.groupStart[group] as number;
      for (const other of row.candidates.subarray(start, start + (row.candidateCount[group] as number))) {
        add(rows, itemNode[item] as number, itemNode[other] as number, row.sums[2 * other] as number, data);
      }
    }
    row.clear();
  }
  return inOrder(rows);
}

/** d_i^pb of each node that is an item; candidates are ordered by their weighted number times this popularity. */
export function popularityOf(data: TrainingData, pb: number): Float64Array {
  const catalogue = numberItems(data);
  const { itemDegree } = toInteractions(buildHistory(data, catalogue), catalogue.itemNode.length);
  return Float64Array.from(catalogue.nodeItem, (item) => (item < 0 ? 0 : (itemDegree[item] as number) ** pb));
}

/** Candidates as selected by the SQL statements in DuckDB, from the blobs. */
export async function candidatesOfDuckDb(
  data: TrainingData, files: readonly SnapshotFile[], cutoffMs: number | null, powers: Powers, limits: { history: number; candidates: number }, duckDb: DuckDbLimits,
): Promise<CandidateRows> {
  const connection = await openDuckDb(duckDb);
  try {
    await createSnapshotViews(connection, files);
    await runSteps(connection, snapshotParameters(cutoffMs), [...snapshotSteps({}), snapshotResults.nodeRows, snapshotResults.pairRows]);
    await connection.run('DROP TABLE parameters');
    await runSteps(connection, candidateParameters(powers, limits.history, limits.candidates), candidateSteps);
    return await selectRows(connection, await loadStatement(candidateResult.file), data);
  } finally {
    connection.closeSync();
  }
}

/** Candidates read from Parquet files that another engine wrote. */
export async function candidatesOfParquet(data: TrainingData, paths: readonly string[], duckDb: DuckDbLimits): Promise<CandidateRows> {
  const connection = await openDuckDb(duckDb);
  try {
    return await selectRows(connection, `SELECT * FROM ${parquetTable(paths)}`, data);
  } finally {
    connection.closeSync();
  }
}

async function selectRows(connection: DuckDBConnection, sql: string, data: TrainingData): Promise<CandidateRows> {
  const rows: CandidateRows = new Map();
  await forEachChunk(connection, sql, (chunk) => {
    const [item, other, total] = [0, 1, 2].map((column) => numberColumn(chunk, column));
    for (let row = 0; row < chunk.rowCount; row += 1) add(rows, item!.getItem(row)!, other!.getItem(row)!, total!.getItem(row)!, data);
  });
  return inOrder(rows);
}

function add(rows: CandidateRows, item: number, other: number, value: number, { nodes, types }: TrainingData): void {
  const key = `${nodes.ids[item]}/${types[nodes.type[other] as number] ?? ''}`;
  const row = rows.get(key) ?? new Map<number, number>();
  row.set(other, value);
  rows.set(key, row);
}

function inOrder(rows: CandidateRows): CandidateRows {
  return new Map([...rows].sort(([one], [two]) => (one < two ? -1 : 1)).map(([key, row]) => [key, new Map([...row].sort(([a], [b]) => a - b))]));
}
