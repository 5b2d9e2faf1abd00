/**
 * Compares the part of a training that Spark can take over: snapshot by DuckDB and rows of the Gram matrix by kernels on one
 * thread, against both jobs on Spark with the given command.
 *   node --import tsx bench/recommender/spark.ts <data>/gowalla/train.txt <spark-submit with its options>
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import { historyCap } from '../../packages/recommender/engine/matrix/interactions.ts';
import { candidateLimit } from '../../packages/recommender/engine/neighbours/gramRow.ts';
import { openDuckDb } from '../../packages/recommender/models/arrays/duckdb.ts';
import { loadPreparedData, loadTrainingData } from '../../packages/recommender/models/arrays/loadTrainingData.ts';
import type { SnapshotFile } from '../../packages/recommender/models/arrays/trainingSnapshot.ts';
import { loadCandidates } from '../../packages/recommender/models/spark/loadCandidates.ts';
import { resultFiles, runSpark } from '../../packages/recommender/models/spark/runSpark.ts';
import { candidateJob, snapshotJob } from '../../packages/recommender/models/spark/sparkJob.ts';
import { ofEachResult, snapshotResults } from '../../packages/recommender/models/sql/statements.ts';
import { gramRows } from './gramRows.ts';
import { printTable } from './rankings.ts';

const [path, ...words] = process.argv.slice(2);
if (path === undefined || words.length === 0) throw new Error('usage: spark.ts <train.txt> <spark-submit with its options>');
const folder = await mkdtemp(join(tmpdir(), 'vouch-bench-spark-'));
const duckDb = { memory: '4GB', threads: 2, temporaryFolder: join(folder, 'duckdb') };
const rows: string[][] = [];

async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await work();
  rows.push([name, ((performance.now() - start) / 1000).toFixed(1)]);
  return result;
}

/** Writes one Parquet file as an upload would, without times. */
async function writeBlob(): Promise<SnapshotFile> {
  const connection = await openDuckDb(duckDb);
  const blob = join(folder, 'sha256-interactions');
  // Rows are numbered as in an upload, because the cap of histories uses these numbers.
  await connection.run(`COPY (
    SELECT 'view' AS type, 'u' || source AS source_id, 'i' || target AS target_id, CAST(NULL AS BIGINT) AS timestamp,
      CAST(NULL AS VARCHAR) AS metadata, row_number() OVER () AS row
    FROM (
      SELECT words[1] AS source, unnest(words[2:]) AS target
      FROM (SELECT string_split(trim(line), ' ') AS words FROM read_csv('${path}', columns = {'line': 'VARCHAR'}, delim = chr(1), header = false))
      WHERE len(words) > 1
    )
  ) TO '${blob}' (FORMAT parquet, COMPRESSION zstd)`);
  connection.closeSync();
  return { path: blob, kind: 'interaction', sequence: 1 };
}

try {
  const files = [await writeBlob()];
  const run = { command: words.join(' '), folder, signal: new AbortController().signal, timers: systemInterfaces.timers, progress: () => {} };
  const { data } = await timed('snapshot: DuckDB', () => loadTrainingData(files, null, duckDb, () => {}));
  const kept = await timed('candidates: kernels, one thread', async () => gramRows(data));
  await timed('snapshot: Spark', async () => runSpark(await snapshotJob(files, null, {}, folder), run));
  const prepared = await ofEachResult((name) => resultFiles(folder, snapshotResults[name].table));
  await timed('snapshot: reading what Spark wrote', () => loadPreparedData(prepared, 1, duckDb, () => {}));
  const limits = { history: historyCap, candidates: candidateLimit };
  await timed('candidates: Spark', async () => runSpark(await candidateJob(prepared, defaultSetting, limits, folder), run));
  const paths = await resultFiles(folder, 'candidates');
  const stored = await timed('candidates: reading what Spark wrote', () => loadCandidates(paths, numberItems(data), join(folder, 'candidates.bin'), duckDb));
  const given = stored.pointer[stored.pointer.length - 1] as number;
  printTable(['work', 'wall s'], rows);
  console.log(`\n${data.pairs.count} interactions, ${kept} candidates of the kernels, ${given} of Spark`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
