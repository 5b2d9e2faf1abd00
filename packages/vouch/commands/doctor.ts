import type { Finding } from '@vouch/platform/product/product';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import type { Report } from '../doctor/runChecks.ts';

const marks: Record<Finding['status'], string> = { ok: 'ok      ', warning: 'warning ', fault: 'FAULT   ' };

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Check the installation and say how to mend what is wrong.')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      `
Checks Node, disk, the data folder, the port, configuration, PostgreSQL, blobs, clocks, address rules, jobs, callbacks and the decoder of videos; of the
gateway the chain, the contract, the keys that pay and what waits. Also beside a running server, whose local chain it finds by itself.
Exits with 4 where something is at fault.`,
    )
    .action(async (options: { json?: boolean }) => {
      const { runChecks } = await import('../doctor/runChecks.ts');
      const reports = await runChecks();
      process.stdout.write(options.json ? `${JSON.stringify(reports)}\n` : describe(reports));
      if (reports.some(({ findings }) => findings.some(({ status }) => status === 'fault'))) process.exitCode = exitCodes.notInOrder;
    });
}

function describe(reports: readonly Report[]): string {
  const lines: string[] = [];
  for (const { check, findings } of reports) {
    for (const { status, detail, remedy } of findings) {
      lines.push(`${marks[status]}${check.padEnd(15)} ${detail}`);
      if (remedy !== undefined) lines.push(`${' '.repeat(24)}→ ${remedy}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
