import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { commandWords, secretValues } from './commandWords.ts';
import { runSpark } from './runSpark.ts';
import { sparkCheck } from './sparkCheck.ts';

// Shell scripts replace Spark in these tests; spark.integration.test.ts tests Spark's results of the statements.

const job = { name: 'vouch snapshot', tables: [], parameters: 'SELECT 1', steps: [] };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-run-spark-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function script(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return join(folder, name);
}

function run(command: string, options: { signal?: AbortSignal; progress?: (fraction: number) => void } = {}): Promise<void> {
  const { signal = new AbortController().signal, progress = () => {} } = options;
  return runSpark(job, { command, folder, signal, timers: systemInterfaces.timers, progress });
}

/** Whether a process runs; a zombie process counts as ended. */
async function runs(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat !== null && !/\) [ZX] /.test(stat);
}

describe('the run of a Spark job', () => {
  it('hands driver and job to the words of the command line, and hears the progress', async () => {
    const heard: number[] = [];
    const path = await script('arguments', `printf '%s\\n' "$@" > ${folder}/words; cat "$4" > ${folder}/job; echo other; echo 'done 1 of 4'; echo 'done 4 of 4'`);
    await run(`${path} --name 'two words'`, { progress: (fraction) => heard.push(fraction) });
    const words = (await readFile(join(folder, 'words'), 'utf8')).trim().split('\n');
    expect(words.slice(0, 2)).toEqual(['--name', 'two words']);
    expect(words[2]).toMatch(/\/driver\.py$/);
    expect(JSON.parse(await readFile(join(folder, 'job'), 'utf8'))).toEqual(job);
    expect(heard).toEqual([0.25, 1]);
  });

  it('that fails is a problem with the last lines of what Spark said, without its log and without secrets', async () => {
    const path = await script('failing', `
      echo '26/01/01 10:00:00 INFO SparkContext: key is open-sesame' >&2
      echo 'AnalysisException: no table with open-sesame' >&2
      echo '    at org.apache.spark.sql.Dataset.ofRows' >&2
      exit 3`);
    const failed = run(`${path} --conf spark.hadoop.fs.s3a.secret.key=open-sesame`);
    await expect(failed).rejects.toMatchObject({ code: 'spark-failed', detail: expect.stringContaining('ended with code 3') });
    await expect(failed).rejects.toMatchObject({ detail: expect.stringMatching(/last lines: AnalysisException: no table with \[secret\]$/) });
  });

  it('that cannot be started says so', async () => {
    await expect(run('/no/such/spark-submit')).rejects.toMatchObject({ code: 'spark-failed', detail: expect.stringContaining('/no/such/spark-submit') });
    await expect(run('spark-submit "open')).rejects.toMatchObject({ code: 'spark-failed', detail: expect.stringContaining('VOUCH_SPARK_SUBMIT') });
  });

  it.runIf(process.platform === 'linux')('that is cancelled leaves nothing of its process group', async () => {
    // The script and its child process ignore SIGTERM.
    const path = await script('stubborn', `trap '' TERM; sh -c 'trap "" TERM; echo $$ > ${folder}/pid; while :; do sleep 1; done' & wait`);
    const controller = new AbortController();
    const running = run(path, { signal: controller.signal });
    const pid = await vi.waitUntil(() => readFile(join(folder, 'pid'), 'utf8').then((text) => text.trim() || null, () => null), { timeout: 120_000 });
    expect(await runs(pid)).toBe(true);
    controller.abort();
    await expect(running).rejects.toThrow('was cancelled');
    expect(await runs(pid)).toBe(false);
  });
});

describe('the check of doctor', () => {
  it('finds a command that starts, and says what is wrong with others', async () => {
    const good = await script('good', '[ "$2" = --version ]');
    const bad = await script('bad', 'echo JAVA_HOME is not set >&2; exit 1');
    const find = (command: string) => sparkCheck(command, systemInterfaces.timers).run();
    expect(await find(`${good} --quiet`)).toMatchObject([{ status: 'ok' }]);
    expect(await find(bad)).toMatchObject([{ status: 'fault', detail: expect.stringContaining('JAVA_HOME is not set'), remedy: expect.stringContaining('VOUCH_SPARK_SUBMIT') }]);
    expect(await find("'")).toMatchObject([{ status: 'fault' }]);
    expect(await find('/no/such/spark-submit')).toMatchObject([{ status: 'fault', detail: expect.stringContaining('not installed') }]);
  });
});

describe('a command line', () => {
  it('is read in words without a shell', () => {
    expect(commandWords(`spark-submit --conf "a=b c" --name 'it is' x\\ y ''`)).toEqual(['spark-submit', '--conf', 'a=b c', '--name', 'it is', 'x y', '']);
    expect(commandWords('a $HOME `b`')).toEqual(['a', '$HOME', '`b`']);
    expect(commandWords('  ')).toBeNull();
    expect(commandWords('a "b')).toBeNull();
  });

  it('has secrets where a key says so', () => {
    expect(secretValues(['--conf', 'spark.hadoop.fs.s3a.secret.key=x=y', 'spark.ssl.keyPassword=z', 'spark.ui.enabled=false', '--token=t'])).toEqual(['x=y', 'z', 't']);
  });
});
