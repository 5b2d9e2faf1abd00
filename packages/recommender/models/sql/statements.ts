import { readFile } from 'node:fs/promises';
import { largestWeight, weightRows, type TypeWeights } from './interactionWeights.ts';

/**
 * One SELECT in a file of this folder, in SQL that both DuckDB and Spark support. Later statements refer to the result by its
 * table name. `parameters` is a table with one row.
 */
export interface Statement {
  table: string;
  file: string;
}

/** A statement whose text depends on the request. */
interface WrittenStatement {
  table: string;
  sql: string;
}

export type Step = Statement | WrittenStatement;

/**
 * Statements that compute the input of `snapshotResults` from `entities`, `interactions` and `parameters` (cutoff, largest_weight).
 * @param weights weights of interaction types that the request sets
 */
export function snapshotSteps(weights: TypeWeights): readonly Step[] {
  return [
    { table: 'given_weights', sql: weightRows(weights) },
    { table: 'type_weights', file: 'typeWeights' },
    { table: 'special_pairs', file: 'specialPairs' },
    { table: 'events', file: 'events' },
    { table: 'rating_scale', file: 'ratingScale' },
    { table: 'rating_means', file: 'ratingMeans' },
    { table: 'pair_weights', file: 'pairWeights' },
    { table: 'latest_entities', file: 'latestEntities' },
    { table: 'latest_pairs', file: 'latestPairs' },
    { table: 'nodes', file: 'nodes' },
  ];
}

/** Results of a snapshot, each with ordered rows. */
export const snapshotResults = {
  nodeRows: { table: 'node_rows', file: 'nodeRows' },
  pairRows: { table: 'pair_rows', file: 'pairRows' },
  entityCounts: { table: 'entity_counts', file: 'entityCounts' },
  interactionCounts: { table: 'interaction_counts', file: 'interactionCounts' },
} as const satisfies Record<string, Statement>;

export type SnapshotResult = keyof typeof snapshotResults;

/** Calls `make` for each result of a snapshot, one after the other. */
export async function ofEachResult<Made>(make: (result: SnapshotResult) => Promise<Made>): Promise<Record<SnapshotResult, Made>> {
  return {
    nodeRows: await make('nodeRows'),
    pairRows: await make('pairRows'),
    entityCounts: await make('entityCounts'),
    interactionCounts: await make('interactionCounts'),
  };
}

/**
 * Statements that compute the input of `candidates` from `node_rows`, `pair_rows` and `parameters` (pu, pb, history_cap,
 * candidate_limit).
 */
export const candidateSteps: readonly Statement[] = [
  { table: 'histories', file: 'histories' },
  { table: 'source_weights', file: 'sourceWeights' },
  { table: 'item_weights', file: 'itemWeights' },
];

/** Candidates of all items, ordered by item, then type. */
export const candidateResult: Statement = { table: 'candidates', file: 'candidates' };

const folder = new URL('./', import.meta.url);

/** Returns the text of a step. */
export async function textOf(step: Step): Promise<string> {
  return 'sql' in step ? step.sql : loadStatement(step.file);
}

/** Reads the text of a statement. */
export async function loadStatement(file: string): Promise<string> {
  return readFile(new URL(`${file}.sql`, folder), 'utf8');
}

/** Time in ms before any time that a file can contain, so that every row is kept. */
const keepEverything = -8_640_000_000_000_000;

/**
 * The statement that returns the one row of `parameters` for a snapshot.
 * @param cutoffMs oldest time to keep, in ms since the epoch; null keeps all
 */
export function snapshotParameters(cutoffMs: number | null): string {
  return `SELECT CAST(${cutoffMs === null ? keepEverything : Math.ceil(cutoffMs)} AS BIGINT) AS cutoff, CAST(${largestWeight} AS DOUBLE) AS largest_weight`;
}

/** The statement that returns the one row of `parameters` for the candidates. */
export function candidateParameters(setting: { pu: number; pb: number }, historyCap: number, limit: number): string {
  const number = (value: number): string => `CAST('${value}' AS DOUBLE)`;
  return `SELECT ${number(setting.pu)} AS pu, ${number(setting.pb)} AS pb, ${historyCap} AS history_cap, ${limit} AS candidate_limit`;
}
