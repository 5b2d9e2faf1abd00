import { basename } from 'node:path';
import { tableColumns, type SnapshotFile } from '../arrays/trainingSnapshot.ts';
import type { TypeWeights } from '../sql/interactionWeights.ts';
import type { SnapshotResultFiles } from '../arrays/loadTrainingData.ts';
import {
  candidateParameters, candidateResult, candidateSteps, snapshotParameters, snapshotResults, snapshotSteps, textOf, type Statement, type Step,
} from '../sql/statements.ts';

/** Input of driver.py, as JSON. */
export interface SparkJob {
  name: string;
  tables: readonly {
    name: string;
    paths: readonly string[];
    /** Columns of the table, used if there is no file. */
    columns: string;
    /** SQL statement with the columns `file_name` and `sequence` of the table's files; null if rows have no upload order. */
    sequences: string | null;
  }[];
  /** SQL statement that returns one row. */
  parameters: string;
  /**
   * Steps in order; `output` is the folder for the Parquet files of the result, null for a table that only later steps read.
   */
  steps: readonly { table: string; sql: string; output: string | null }[];
}

/**
 * The job that prepares a snapshot.
 * @param weights weights of interaction types that the request sets
 * @param folder folder for the results, with one subfolder per result table
 */
export async function snapshotJob(files: readonly SnapshotFile[], cutoffMs: number | null, weights: TypeWeights, folder: string): Promise<SparkJob> {
  const table = (name: string, kind: SnapshotFile['kind']): SparkJob['tables'][number] => {
    const own = files.filter((file) => file.kind === kind);
    return {
      name, paths: [...new Set(own.map(({ path }) => toUri(path)))], columns: tableColumns[kind], sequences: sequencesOf(own),
    };
  };
  return {
    name: 'vouch snapshot',
    tables: [table('entities', 'entity'), table('interactions', 'interaction')],
    parameters: snapshotParameters(cutoffMs),
    steps: await stepsOf(snapshotSteps(weights), Object.values(snapshotResults), folder),
  };
}

/**
 * The job that computes the candidates of all items.
 * @param limits number of history items that count, and number of candidates to keep
 */
export async function candidateJob(
  prepared: Pick<SnapshotResultFiles, 'nodeRows' | 'pairRows'>,
  setting: { pu: number; pb: number },
  limits: { history: number; candidates: number },
  folder: string,
): Promise<SparkJob> {
  const table = (name: string, paths: readonly string[]): SparkJob['tables'][number] => ({ name, paths: paths.map(toUri), columns: '', sequences: null });
  return {
    name: 'vouch candidates',
    tables: [table('node_rows', prepared.nodeRows), table('pair_rows', prepared.pairRows)],
    parameters: candidateParameters(setting, limits.history, limits.candidates),
    steps: await stepsOf(candidateSteps, [candidateResult], folder),
  };
}

async function stepsOf(steps: readonly Step[], results: readonly Statement[], folder: string): Promise<SparkJob['steps']> {
  return Promise.all([
    ...steps.map(async (step) => ({ table: step.table, sql: await textOf(step), output: null })),
    ...results.map(async (result) => ({ table: result.table, sql: await textOf(result), output: toUri(`${folder}/${result.table}`) })),
  ]);
}

function sequencesOf(files: readonly SnapshotFile[]): string | null {
  const rows = files.map(({ path, sequence }) => `('${basename(path).replaceAll("'", "\\'")}', ${sequence})`);
  if (rows.length === 0) rows.push("('', 0)");
  return `SELECT file_name, CAST(sequence AS BIGINT) AS sequence FROM (VALUES ${rows.join(', ')}) AS sequences (file_name, sequence)`;
}

/** Without a scheme, a cluster would resolve the path in its default file system. */
function toUri(path: string): string {
  return `file://${path}`;
}
