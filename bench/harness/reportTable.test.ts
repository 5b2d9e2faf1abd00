import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { formatRatio, formatReport, machineLine, reportTable, today, type BenchReport } from './reportTable.ts';

const report: BenchReport = {
  name: 'sample',
  title: 'A sample',
  command: 'npx tsx bench/sample.ts',
  data: '10 rows',
  columns: ['what', 'ratio'],
  rows: [['a|b', 1], ['two\nlines', '0.5']],
  notes: ['Only the ratio carries over.'],
};

describe('a benchmark report', () => {
  it('names command, data and machine above the table', () => {
    expect(formatReport(report, '2 cores', '2026-11-26')).toBe(
      '# A sample\n\n- Command: `npx tsx bench/sample.ts`\n- Data: 10 rows\n- Date: 2026-11-26\n- Machine: 2 cores\n\n' +
        '| what | ratio |\n| --- | --- |\n| a\\|b | 1 |\n| two lines | 0.5 |\n\nOnly the ratio carries over.\n',
    );
  });

  it('refuses a row that does not fit the columns', () => {
    expect(() => formatReport({ ...report, rows: [['alone']] }, '', '')).toThrow('has 1 cells');
  });

  it('is written under its name and printed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-report-'));
    const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      const path = await reportTable(report, folder);
      expect(path).toBe(join(folder, 'sample.md'));
      expect(await readFile(path, 'utf8')).toBe(formatReport(report, machineLine(), today()));
      expect(print.mock.calls.flat().join('\n')).toContain('| a\\|b | 1 |');
    } finally {
      print.mockRestore();
      await rm(folder, { recursive: true });
    }
  });

  it('says cores and Node version, and shows a ratio with its interval', () => {
    expect(machineLine()).toMatch(/^\d+ cores .*Node v\d+/);
    expect(formatRatio({ ratio: 0.654, low: 0.6, high: 0.7 })).toBe('0.65 (0.60 to 0.70)');
  });
});
