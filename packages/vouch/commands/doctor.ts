import type { Finding } from '@vouch/platform/product/findings';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import type { Report } from '../doctor/runChecks.ts';

const marks: Record<Finding['status'], string> = { ok: 'ok      ', warning: 'warning ', fault: 'FAULT   ' };

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Diagnose problems of the installation and suggest fixes.')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      `
Checks configuration, Node, disk, data folder, port, crashes, PostgreSQL, blobs, clocks, URL rules, jobs, callbacks, data reader, rules and video
decoder; for the gateway also chain, contract, relayer keys and queued messages. Works while a server runs, and finds its local chain.
Exits with 4 if there is a fault.`,
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
    for (const finding of findings) {
      lines.push(`${marks[finding.status]}${check.padEnd(15)} ${finding.detail}`);
      if (finding.status !== 'ok') lines.push(`${' '.repeat(24)}→ ${finding.remedy} [${finding.code}]`);
    }
  }
  if (reports.some(({ findings }) => findings.some(({ status }) => status !== 'ok'))) {
    lines.push('', 'docs/guides/doctor.md explains each code in brackets; a running server has the page at /docs/guides/doctor.');
  }
  return `${lines.join('\n')}\n`;
}
