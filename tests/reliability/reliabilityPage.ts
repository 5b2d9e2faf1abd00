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
    `[Guide](${guide})\n`,
    '| what is done to break the promise | how | last result |',
    '|---|---|---|',
    ...trials.flatMap((trial) => rowsOf(trial, results, tables)),
    ...(untested === undefined ? [] : [`\n**Not tested yet.** ${untested}`]),
  ].join('\n'));
  return `# Reliability

What Vouch promises, what is done to break each promise, and the result of the last run, whether it is good or not.

Tests "at each change" are part of \`.ci/run\`: a change lands only if all of them pass. To run them yourself, with the longest ones, run \`npm run test:all\`.
The other commands take minutes to hours. With \`--record\`, a test records its result with the date; benchmarks always do.
[Security](../SECURITY.md) states from whom Vouch protects what, and from whom not.

${sections.join('\n\n')}
`;
}

function rowsOf({ trial, test, result, bench }: Trial, results: TestResults, tables: BenchTables): string[] {
  const runs: [how: string, last: string][] = [];
  if (test !== undefined) runs.push([`\`${test}\`, at each change`, 'passes']);
  if (result !== undefined) runs.push(lastResult(result, results));
  if (bench !== undefined) runs.push(lastTable(bench, tables));
  return runs.map(([how, last], at) => `| ${at === 0 ? trial : ''} | ${how} | ${last} |`);
}

function lastResult(name: string, results: TestResults): [string, string] {
  const found = results[name];
  if (found === undefined) return [`\`npm run test:heavy -- ${name}\``, 'no run is recorded'];
  const { command, date, outcome, result } = found;
  return [`\`${command}\``, `${date}: ${outcome === 'passed' ? '' : '**failed.** '}${result.replaceAll('|', '\\|')}`];
}

function lastTable({ table, column, rows }: NonNullable<Trial['bench']>, tables: BenchTables): [string, string] {
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
  return [`${detail('Command')} ([table](../bench/results/${table}.md))`, `${detail('Date')}: ${shown.join('; ')}`];
}
