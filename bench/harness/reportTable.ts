import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RatioReport } from './interleave.ts';

export interface BenchReport {
  /** File name of the report, without extension. */
  name: string;
  title: string;
  /** The exact command that reproduces the table. */
  command: string;
  /** Name and size of the data set. */
  data: string;
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
  /** Facts that a reader needs to judge the numbers. */
  notes?: readonly string[];
}

/** Describes the machine. Omits the host name, because reports are public. */
export function machineLine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${model}), ${memory} GB, ${process.platform}-${process.arch}, Node ${process.version}`;
}

/** UTC, `YYYY-MM-DD`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/**
 * Formats the report as Markdown.
 * @param date of the run, `YYYY-MM-DD`
 */
export function formatReport(report: BenchReport, machine: string, date: string): string {
  const cell = (value: string | number): string => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(' | ')} |`;
  for (const row of report.rows) {
    if (row.length !== report.columns.length) throw new Error(`a row of ${report.name} has ${row.length} cells`);
  }
  return [
    `# ${report.title}`,
    '',
    `- Command: \`${report.command}\``,
    `- Data: ${report.data}`,
    `- Date: ${date}`,
    `- Machine: ${machine}`,
    '',
    line(report.columns),
    line(report.columns.map(() => '---')),
    ...report.rows.map(line),
    '',
    ...(report.notes ?? []).flatMap((note) => [note, '']),
  ].join('\n');
}

/**
 * Prints the report and writes it to `bench/results/<name>.md`, or to the given folder.
 * @returns path of the file
 */
export async function reportTable(report: BenchReport, folder?: string): Promise<string> {
  const target = folder ?? fileURLToPath(new URL('../results', import.meta.url));
  const text = formatReport(report, machineLine(), today());
  await mkdir(target, { recursive: true });
  const path = join(target, `${report.name}.md`);
  await writeFile(path, text);
  console.log(`${text}\nWritten to ${path}`);
  return path;
}

/** Formats a ratio for reports: median and 95 % interval. */
export function formatRatio({ ratio, low, high }: Pick<RatioReport, 'ratio' | 'low' | 'high'>): string {
  return `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
