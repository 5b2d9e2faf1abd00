import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { today } from '../../bench/harness/reportTable.ts';
import { writeFileAtomically } from '../../packages/platform/process/writeFileAtomically.ts';

/** The last run of a command that tests a promise. */
export interface TestResult {
  command: string;
  /** UTC, `YYYY-MM-DD`. */
  date: string;
  outcome: 'passed' | 'failed';
  seconds: number;
  /** Counts of the run in one line, for example `300 kills, 10,801 requests acknowledged, 0 lost`. */
  result: string;
}

/** Results by the name of the test. */
export type TestResults = Readonly<Record<string, TestResult>>;

const path = fileURLToPath(new URL('../../bench/results/reliability.json', import.meta.url));

export async function loadResults(): Promise<TestResults> {
  return JSON.parse(await readFile(path, 'utf8')) as TestResults;
}

/** The command that runs a test of `tests/scale`. */
export function heavyCommand(name: string): string {
  return `npm run test:heavy -- ${name}`;
}

/** Replaces the result of a test in `bench/results/reliability.json`, from which `npm run docs` makes docs/reliability.md. */
export async function recordResult(name: string, result: Omit<TestResult, 'date'>): Promise<void> {
  const all = { ...await loadResults(), [name]: { ...result, date: today() } };
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  await writeFileAtomically(path, `${JSON.stringify(sorted, null, 2)}\n`, { mode: 0o644 });
}
