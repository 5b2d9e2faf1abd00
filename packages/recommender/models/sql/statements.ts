import { readFile } from 'node:fs/promises';

/**
 * One SELECT in a file of this folder, in words that DuckDB and Spark SQL both know. What it gives goes by the name of its
 * table in later statements; `parameters` is a table of one row.
 */
export interface Statement {
  table: string;
  file: string;
}

/** From `entities`, `interactions` and `parameters` (cutoff) to what `snapshotResults` needs. */
export const snapshotSteps: readonly Statement[] = [
  { table: 'latest_entities', file: 'latestEntities' },
  { table: 'latest_pairs', file: 'latestPairs' },
  { table: 'nodes', file: 'nodes' },
];

/** What a snapshot gives: rows in their order. */
export const snapshotResults = {
  nodeRows: { table: 'node_rows', file: 'nodeRows' },
  pairRows: { table: 'pair_rows', file: 'pairRows' },
  entityCounts: { table: 'entity_counts', file: 'entityCounts' },
  interactionCounts: { table: 'interaction_counts', file: 'interactionCounts' },
} as const satisfies Record<string, Statement>;

export type SnapshotResult = keyof typeof snapshotResults;

/** Makes something of each result of a snapshot, one after the other. */
export async function ofEachResult<Made>(make: (result: SnapshotResult) => Promise<Made>): Promise<Record<SnapshotResult, Made>> {
  return {
    nodeRows: await make('nodeRows'),
    pairRows: await make('pairRows'),
    entityCounts: await make('entityCounts'),
    interactionCounts: await make('interactionCounts'),
  };
}

/** From `node_rows`, `pair_rows` and `parameters` (pu, pb, history_cap, candidate_limit) to what `candidates` needs. */
export const candidateSteps: readonly Statement[] = [
  { table: 'histories', file: 'histories' },
  { table: 'source_weights', file: 'sourceWeights' },
  { table: 'item_weights', file: 'itemWeights' },
];

/** Candidates of all items, by rising item, then type. */
export const candidateResult: Statement = { table: 'candidates', file: 'candidates' };

const folder = new URL('./', import.meta.url);

/** The text of a statement. */
export async function readStatement(file: string): Promise<string> {
  return readFile(new URL(`${file}.sql`, folder), 'utf8');
}

/** Smaller than any time a file can hold: keeps every row. */
const keepEverything = -8_640_000_000_000_000;

/** The statement whose one row is `parameters` of a snapshot. @param cutoffMs null keeps all */
export function snapshotParameters(cutoffMs: number | null): string {
  return `SELECT CAST(${cutoffMs === null ? keepEverything : Math.ceil(cutoffMs)} AS BIGINT) AS cutoff`;
}

/** The statement whose one row is `parameters` of the candidates. */
export function candidateParameters(setting: { pu: number; pb: number }, historyCap: number, limit: number): string {
  const number = (value: number): string => `CAST('${value}' AS DOUBLE)`;
  return `SELECT ${number(setting.pu)} AS pu, ${number(setting.pb)} AS pb, ${historyCap} AS history_cap, ${limit} AS candidate_limit`;
}
