import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { today } from '../../bench/harness/reportTable.ts';
import { writeFileAtomically } from '../../packages/platform/process/writeFileAtomically.ts';

/** The last run of a command that tests a promise. */
export interface TestResult {
  command: string;
  /** UTC, `YYYY-MM-DD`. */
  date: string;
  /** Abbreviated hash of the tested commit. */
  commit: string;
  outcome: 'passed' | 'failed';
  seconds: number;
  /** Counts of the run in one line, for example `300 kills, 10,801 requests acknowledged, 0 lost`. */
  result: string;
}

/** Results by the name of the test. */
export type TestResults = Readonly<Record<string, TestResult>>;

const execute = promisify(execFile);
const path = fileURLToPath(new URL('../../bench/results/reliability.json', import.meta.url));

export async function loadResults(): Promise<TestResults> {
  return JSON.parse(await readFile(path, 'utf8')) as TestResults;
}

/**
 * The command that runs a test of `tests/scale`.
 * @param variables environment variables that change what the test does
 * @param environment the values of these variables; the command sets the variables that have a value
 */
export function heavyCommand(name: string, variables: readonly string[] = [], environment: NodeJS.ProcessEnv = {}): string {
  const set = variables.filter((variable) => environment[variable] !== undefined).map((variable) => `${variable}=${quoted(environment[variable]!)}`);
  return [...set, `npm run test:heavy -- ${name}`].join(' ');
}

/** A word of a shell command, in quotation marks if the shell would change the word. */
function quoted(word: string): string {
  return /^[\w.,:/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns the abbreviated hash of the commit that is checked out. Recorded results, and the page that is made from these results, may differ from the commit.
 * @throws Error if other files differ, because a result is valid for a commit only
 */
export async function findTestedCommit(): Promise<string> {
  const git = async (...words: string[]): Promise<string> => (await execute('git', words, { cwd: dirname(path) })).stdout.trim();
  const changed = await git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':!/bench/results', ':!/docs/reliability.md');
  if (changed !== '') throw new Error(`Results are recorded for a commit, and these files differ from the commit:\n${changed}\nCommit the changes first, or run the test without --record.`);
  return git('rev-parse', '--short=8', 'HEAD');
}

/** Replaces the result of a test in `bench/results/reliability.json`, from which `npm run docs` makes docs/reliability.md. */
export async function recordResult(name: string, result: Omit<TestResult, 'date'>): Promise<void> {
  const all = { ...await loadResults(), [name]: { ...result, date: today() } };
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  await writeFileAtomically(path, `${JSON.stringify(sorted, null, 2)}\n`, { mode: 0o644 });
}
