import type { ReliabilityPromise, Trial } from './promises.ts';
import type { TestResults } from './results.ts';

/** The texts of bench/results by name without extension. */
export type BenchTables = ReadonlyMap<string, string>;

/**
 * Writes docs/reliability.md: each promise with what is done to break it, the command, and the last result.
 * @throws Error if a trial names a table, a column or a row that does not exist
 */
export function reliabilityPage(promises: readonly ReliabilityPromise[], results: TestResults, tables: BenchTables): string {
  const sections = promises.map(({ promise, guide, trials, untested }) => [
    `## ${promise}\n`,
    `[Guide](${guide}). What is done to break the promise:\n`,
    ...trials.flatMap((trial) => linesOf(trial, results, tables)),
    ...(untested === undefined ? [] : [`\n**Not tested yet.** ${untested}`]),
  ].join('\n'));
  return `# Reliability

What Vouch promises, what is done to break each promise, and the result of the last run, whether it is good or not.

Tests "at each change" are part of \`.ci/run\`, and a change lands only if none of them fails. A test skips what the machine cannot run (\`strace\`, Linux) and says so. To run
these tests yourself, run \`npm run test:all\`.
The other commands take minutes to hours. With \`--record\`, a test records its result with the date and the commit; benchmarks always do, with the date.
[Security](../SECURITY.md) states which attacks Vouch is protected against, and which not.

${sections.join('\n\n')}
`;
}

function linesOf({ trial, test, onDemand, bench }: Trial, results: TestResults, tables: BenchTables): string[] {
  const runs: string[] = [];
  if (test !== undefined) runs.push(`At each change, \`${test}\`: passes.`);
  if (onDemand !== undefined) runs.push(lastResult(onDemand, results));
  if (bench !== undefined) runs.push(lastTable(bench, tables));
  return [`- ${trial}.`, ...runs.map((run) => `  - ${run}`)];
}

function lastResult({ name, command }: NonNullable<Trial['onDemand']>, results: TestResults): string {
  const found = results[name];
  if (found === undefined) return `\`${command}\`: no run is recorded.`;
  const { command: run, date, commit, outcome, result } = found;
  return `\`${run}\`, ${date}, commit ${commit}: ${outcome === 'passed' ? '' : '**failed.** '}${result}.`;
}

function lastTable({ table, column, rows }: NonNullable<Trial['bench']>, tables: BenchTables): string {
  const text = tables.get(table);
  if (text === undefined) throw new Error(`there is no bench/results/${table}.md`);
  const lines = text.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | '));
  const at = (lines[0] ?? []).findIndex((title) => title.startsWith(column));
  if (at < 0) throw new Error(`bench/results/${table}.md has no column ${column}`);
  const shown = rows.map((beginning) => {
    const row = lines.find(([first = '']) => first.startsWith(beginning));
    if (row === undefined) throw new Error(`bench/results/${table}.md has no row ${beginning}`);
    return `${row[0]}: ${row[at]}`;
  });
  const detail = (name: string): string => new RegExp(`^- ${name}: (.+)$`, 'm').exec(text)?.[1] ?? 'unknown';
  return `${detail('Command')}, ${detail('Date')} ([table](../bench/results/${table}.md)): ${shown.join('; ')}.`;
}
