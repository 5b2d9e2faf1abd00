import { exitCodes } from '@vouch/platform/process/exitCodes';
import { plainText } from '@vouch/platform/log/plainText';
import { reportFolder } from '../collateral/reportFolder.ts';
import { describeRows, describeVerdict } from '../collateral/describeCollateral.ts';
import type { CollateralReport } from '../attestation/collateral/checkCollateral.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import type { Command } from './command.ts';
import { configurationFlags } from './configurationFlags.ts';

export const collateralCheck: Command = {
  name: 'collateral check',
  summary: 'list the collateral in the folder, how long it is valid, and what is missing',
  flags: ['-conf', '-json'],
  async run(call) {
    const { configuration: { attestation: { collateralPath, trustRoot } }, warnings } = loadConfiguration(configurationFlags(call));
    for (const { where, sentence } of warnings) call.warn(`${where}: ${sentence}`);
    const date = new Date(call.system.clock.now());
    const report = await reportFolder(collateralPath, date, trustRoot);
    call.output.write(call.given.has('-json') ? `${JSON.stringify({ folder: collateralPath, date: date.toISOString(), ...report })}\n` : describe(collateralPath, report, date));
    return report.complete ? exitCodes.done : exitCodes.notInOrder;
  },
};

function describe(folder: string, report: CollateralReport, date: Date): string {
  const rows = report.items.map(({ state, what, issued, validUntil }) => ({ state: state === 'good' ? 'ok' : state, what, issued, until: validUntil }));
  const wrong = report.items.filter(({ state }) => state !== 'good').map(({ sentence }) => `${plainText(sentence)}\n`);
  return `${describeRows(rows, date)}${wrong.join('')}${describeVerdict(folder, report, date)}`;
}
