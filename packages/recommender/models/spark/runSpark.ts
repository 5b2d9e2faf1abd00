import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ChildFailed, describeEnd } from '@vouch/platform/process/childEnd';
import { startChild } from '@vouch/platform/process/childProcess';
import type { Timers } from '@vouch/platform/process/doors';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import { commandWords, secretValues } from './commandWords.ts';
import type { SparkJob } from './sparkJob.ts';

/** Variables that Spark and its launcher read; a child gets nothing else of ours. */
const sparkVariables = /^(?:SPARK|PYSPARK|HADOOP|YARN|JAVA|KUBE)\w*$/;
const shownLines = 12;
/** Lines of Spark's log and of Java's traces, which say where and not what. */
const noise = /^\d\d\/\d\d\/\d\d [\d:]+ (?:INFO|WARN|DEBUG)\b|^\s+at |^\s*\.\.\. \d+ more|^WARNING: |^Using Spark's|^Setting default log|^To adjust logging|^JVM stacktrace|^\s*$/;

export interface SparkRun {
  /** The setting: a command line to which the driver and its job are added. */
  command: string;
  /** Folder for the description of the job, seen by the whole cluster. */
  folder: string;
  signal: AbortSignal;
  timers: Timers;
  /** Called with 0 to 1. */
  progress(fraction: number): void;
}

/**
 * Carries a job out with Spark and waits for its end. Cancelled, nothing of its process group lives after two seconds.
 * @throws Problem spark-failed with the last lines of Spark's output; ChildFailed where it was stopped
 */
export async function runSpark(job: SparkJob, { command, folder, signal, timers, progress }: SparkRun): Promise<void> {
  const words = sparkWords(command);
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${job.name.replaceAll(' ', '-')}.json`);
  await writeFile(path, JSON.stringify(job));
  const driver = fileURLToPath(new URL('./driver.py', import.meta.url));
  const child = startChild(
    {
      command: words[0] as string, args: [...words.slice(1), driver, path], cwd: folder, env: sparkEnvironment(), stdout: 'pipe',
      signal, name: 'spark-submit',
    },
    timers,
  );
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, done, all] = /^done (\d+) of (\d+)$/.exec(line) ?? [];
      if (all !== undefined) progress(Number(done) / Number(all));
    });
  }
  try {
    await child.done;
  } catch (error) {
    throw failure(error, job, words);
  }
}

/** @throws Problem spark-failed where the setting is no command line */
export function sparkWords(command: string): string[] {
  const words = commandWords(command);
  if (words !== null) return words;
  throw recommenderErrors.problem('spark-failed', 'VOUCH_SPARK_SUBMIT is not a command line: the value is empty, or a quote is not closed.');
}

/** What Spark reads of our environment. */
export function sparkEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => sparkVariables.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
}

/** Part files of a result in the order of their rows. */
export async function resultFiles(folder: string, table: string): Promise<string[]> {
  const names = await readdir(join(folder, table));
  return names.filter((name) => /^part-.*\.parquet$/.test(name)).sort().map((name) => join(folder, table, name));
}

function failure(error: unknown, job: SparkJob, words: readonly string[]): unknown {
  if (!(error instanceof ChildFailed) || (error.end.kind !== 'exited' && error.end.kind !== 'not-started')) return error;
  const said = lastLines(error.stderrTail, words);
  return recommenderErrors.problem(
    'spark-failed',
    `The Spark job "${job.name}" ${describeEnd(error.end)}.${said === '' ? '' : ` Its last lines: ${said}`}`,
    { cause: error },
  );
}

/** The end of what Spark wrote, without its log's noise and without secrets of the command line. */
export function lastLines(stderr: string, words: readonly string[]): string {
  const lines = stderr.split('\n').filter((line) => !noise.test(line)).slice(-shownLines);
  return secretValues(words).reduce((text, secret) => text.replaceAll(secret, '[secret]'), lines.join('\n'));
}
