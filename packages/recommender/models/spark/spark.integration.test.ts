import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { candidateLimit } from '../../engine/neighbours/gramRow.ts';
import { historyCap } from '../../engine/matrix/interactions.ts';
import { defaultSetting } from '../../engine/data/defaultSetting.ts';
import { loadPreparedData, loadTrainingData, type SnapshotResultFiles } from '../arrays/loadTrainingData.ts';
import { openDuckDb, parquetTable } from '../arrays/duckdb.ts';
import type { SnapshotFile } from '../arrays/trainingSnapshot.ts';
import { ofEachResult, snapshotResults } from '../sql/statements.ts';
import { candidatesOfDuckDb, candidatesOfKernels, candidatesOfParquet, popularityOf, type CandidateRows } from '../../testing/candidateRows.ts';
import { writeSnapshot } from '../../testing/sparkSnapshot.ts';
import { candidateJob, snapshotJob } from './sparkJob.ts';
import { resultFiles, runSpark } from './runSpark.ts';
import { sparkOfTests } from '../../testing/findSpark.ts';

const command = sparkOfTests('local[2]');
const limits = { history: historyCap, candidates: candidateLimit };
/** Timeout in ms, long because the Java virtual machine must start and compile first. */
const patience = 600_000;
let folder: string;
let files: SnapshotFile[];
let results: SnapshotResultFiles;
let ours: Awaited<ReturnType<typeof loadTrainingData>>;

const duckDb = () => ({ memory: '1GB', threads: 2, temporaryFolder: join(folder, 'duckdb') });
const spark = (line: string) => ({ command: line, folder, signal: new AbortController().signal, timers: systemInterfaces.timers, progress: () => {} });
/** One interaction in twenty is older than this time. */
const cutoffMs = 50_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-spark-'));
  files = await writeSnapshot(folder);
  ours = await loadTrainingData(files, cutoffMs, duckDb(), () => {});
  if (command === null) return;
  await runSpark(await snapshotJob(files, cutoffMs, {}, folder), spark(command));
  results = await ofEachResult((name) => resultFiles(folder, snapshotResults[name].table));
}, patience);

afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Candidates that are missing in the other rows or have a different total there. A missing candidate with the same value as
 * the other's last candidate is not a difference.
 */
function differences(one: CandidateRows, other: CandidateRows, popularity: Float64Array): string[] {
  const found: string[] = [];
  for (const [row, candidates] of one) {
    const others = other.get(row) ?? new Map<number, number>();
    const worth = (item: number, total: number): number => total * (popularity[item] as number);
    const least = Math.min(...[...others].map(([item, total]) => worth(item, total)));
    for (const [item, total] of candidates) {
      const theirs = others.get(item);
      if (theirs === undefined ? worth(item, total) > least + 1e-6 : Math.abs(total - theirs) > 1e-6) found.push(`${row}: ${item} ${total} ${theirs}`);
    }
  }
  return found;
}

describe('the statements', () => {
  it('count a file that was uploaded twice twice', async () => {
    const connection = await openDuckDb(duckDb());
    const counts = await Promise.all(files.filter(({ kind }) => kind === 'interaction').map(async ({ path }) =>
      Number((await connection.runAndReadAll(`SELECT count(*) FROM ${parquetTable([path])}`)).getRows()[0]?.[0])));
    connection.closeSync();
    expect(counts.length).toBe(3);
    expect(ours.summary.interactions.rows).toBe(counts.reduce((sum, count) => sum + count, 0));
  });

  exhaustiveTest('give the same candidates in DuckDB as the kernels', async () => {
    const { data } = ours;
    const kernels = candidatesOfKernels(data, defaultSetting);
    const popularity = popularityOf(data, defaultSetting.pb);
    const statements = await candidatesOfDuckDb(data, files, cutoffMs, defaultSetting, limits, duckDb());
    expect([...kernels.values()].some((row) => row.size === candidateLimit)).toBe(true);
    expect([...statements.keys()]).toEqual([...kernels.keys()]);
    expect([...statements.values()].map((row) => row.size)).toEqual([...kernels.values()].map((row) => row.size));
    expect(differences(kernels, statements, popularity)).toEqual([]);
    expect(differences(statements, kernels, popularity)).toEqual([]);
  });

  it.skipIf(command === null)('give the same arrays in Spark as in DuckDB', async () => {
    expect(await loadPreparedData(results, files.length, duckDb(), () => {})).toEqual(ours);
    expect(ours.summary.interactions.ignored.too_old).toBeGreaterThan(0);
  });

  it.skipIf(command === null)('give the same candidates in Spark as in DuckDB', async () => {
    await runSpark(await candidateJob(results, defaultSetting, limits, folder), spark(command!));
    const theirs = await candidatesOfParquet(ours.data, await resultFiles(folder, 'candidates'), duckDb());
    expect(theirs).toEqual(await candidatesOfDuckDb(ours.data, files, cutoffMs, defaultSetting, limits, duckDb()));
  }, patience);
});
