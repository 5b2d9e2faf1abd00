import { basename } from 'node:path';
import { tableColumns, type SnapshotFile } from '../arrays/trainingSnapshot.ts';
import type { SnapshotResultFiles } from '../arrays/readTrainingData.ts';
import {
  candidateParameters, candidateResult, candidateSteps, readStatement, snapshotParameters, snapshotResults, snapshotSteps, type Statement,
} from '../sql/statements.ts';

/** Input of driver.py, as JSON. */
export interface SparkJob {
  name: string;
  tables: readonly {
    name: string;
    paths: readonly string[];
    /** Its columns where there is no file. */
    columns: string;
    /** Statement with `file_name` and `sequence` of its files; null where rows have no upload order. */
    sequences: string | null;
  }[];
  /** Statement with one row. */
  parameters: string;
  /** In order; `output` is the folder of Parquet files to write, null for a table of later steps. */
  steps: readonly { table: string; sql: string; output: string | null }[];
}

/** The preparation of a snapshot. @param folder where its results go, one folder for each by the name of its table */
export async function snapshotJob(files: readonly SnapshotFile[], cutoffMs: number | null, folder: string): Promise<SparkJob> {
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
    steps: await stepsOf(snapshotSteps, Object.values(snapshotResults), folder),
  };
}

/** The candidates of all items. @param limits how much of a history counts, and how many candidates are kept */
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

async function stepsOf(steps: readonly Statement[], results: readonly Statement[], folder: string): Promise<SparkJob['steps']> {
  return Promise.all([
    ...steps.map(async ({ table, file }) => ({ table, sql: await readStatement(file), output: null })),
    ...results.map(async ({ table, file }) => ({ table, sql: await readStatement(file), output: toUri(`${folder}/${table}`) })),
  ]);
}

function sequencesOf(files: readonly SnapshotFile[]): string | null {
  const rows = files.map(({ path, sequence }) => `('${basename(path).replaceAll("'", "\\'")}', ${sequence})`);
  if (rows.length === 0) rows.push("('', 0)");
  return `SELECT file_name, CAST(sequence AS BIGINT) AS sequence FROM (VALUES ${rows.join(', ')}) AS sequences (file_name, sequence)`;
}

/** Without its scheme a cluster would look for the path in its own file system. */
function toUri(path: string): string {
  return `file://${path}`;
}
