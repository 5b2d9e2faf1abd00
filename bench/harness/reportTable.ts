import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RatioReport } from './interleave.ts';

export interface BenchReport {
  /** File name of the report without its ending. */
  name: string;
  title: string;
  /** Exactly what to type to get this table. */
  command: string;
  /** What it ran on: name and size of the data. */
  data: string;
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
  /** What a reader must know to judge the numbers. */
  notes?: readonly string[];
}

/** What the numbers were measured on; no host name, since reports are public. */
export function machineLine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${model}), ${memory} GB, ${process.platform}-${process.arch}, Node ${process.version}`;
}

/** The report as markdown. */
export function formatReport(report: BenchReport, machine: string): string {
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
 * Prints the report and writes it to `bench/results/<name>.md`, or into another folder.
 * @returns path of the file
 */
export async function reportTable(report: BenchReport, folder?: string): Promise<string> {
  const target = folder ?? fileURLToPath(new URL('../results', import.meta.url));
  const text = formatReport(report, machineLine());
  await mkdir(target, { recursive: true });
  const path = join(target, `${report.name}.md`);
  await writeFile(path, text);
  console.log(`${text}\nWritten to ${path}`);
  return path;
}

/** A ratio as reports show it: median and 95 % interval. */
export function formatRatio({ ratio, low, high }: Pick<RatioReport, 'ratio' | 'low' | 'high'>): string {
  return `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
