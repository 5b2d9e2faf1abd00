import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ChildFailed, describeEnd } from '@vouch/platform/process/childEnd';
import { startChild } from '@vouch/platform/process/childProcess';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import { commandWords, secretValues } from './commandWords.ts';
import type { SparkJob } from './sparkJob.ts';

/** Environment variables that Spark and its launcher read; the child process receives no other variables of the server. */
const sparkVariables = /^(?:SPARK|PYSPARK|HADOOP|YARN|JAVA|KUBE)\w*$/;
const shownLines = 12;
/** Log lines of Spark and stack traces of Java, which contain locations but no cause. */
const noise = /^\d\d\/\d\d\/\d\d [\d:]+ (?:INFO|WARN|DEBUG)\b|^\s+at |^\s*\.\.\. \d+ more|^WARNING: |^Using Spark's|^Setting default log|^To adjust logging|^JVM stacktrace|^\s*$/;

export interface SparkRun {
  /** The setting `spark_submit`: a command line; the driver and its job are appended. */
  command: string;
  /** Folder for the job description; must be accessible to the whole cluster. */
  folder: string;
  signal: AbortSignal;
  timers: Timers;
  /** Called with fractions 0 to 1. */
  progress(fraction: number): void;
}

/**
 * Runs a job with Spark and waits for the end. After a cancellation, all processes of its process group end within two
 * seconds.
 * @throws Problem spark-failed with the last lines of Spark's output; ChildFailed if the run was stopped
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

/**
 * Splits the setting into words.
 * @throws Problem spark-failed if the setting is not a valid command line
 */
export function sparkWords(command: string): string[] {
  const words = commandWords(command);
  if (words !== null) return words;
  throw recommenderErrors.problem('spark-failed', 'VOUCH_SPARK_SUBMIT is not a command line: the value is empty, or a quote is not closed.');
}

/** The environment variables for Spark. */
export function sparkEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => sparkVariables.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
}

/** Paths of a result's part files, in the order of their rows. */
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

/** The last lines of Spark's output, without log lines and without secrets of the command line. */
export function lastLines(stderr: string, words: readonly string[]): string {
  const lines = stderr.split('\n').filter((line) => !noise.test(line)).slice(-shownLines);
  return secretValues(words).reduce((text, secret) => text.replaceAll(secret, '[secret]'), lines.join('\n'));
}
