import { exitCodes } from '@vouch/platform/process/exitCodes';
import { plainText } from '@vouch/platform/log/plainText';
import { CollateralFolderFault } from '../attestation/collateral/readCollateralFolder.ts';
import { checkCollateral, type CollateralReport } from '../attestation/collateral/checkCollateral.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { endsSoon } from '../doctor/collateralFindings.ts';
import type { Command } from './command.ts';
import { configurationFlags } from './configurationFlags.ts';

export const collateralCheck: Command = {
  name: 'collateral check',
  summary: 'check the folder of collateral: what is there, until when it holds, and what is missing',
  flags: ['-conf', '-json'],
  async run(call) {
    const { configuration: { attestation: { collateralPath, trustRoot } }, warnings } = loadConfiguration(configurationFlags(call));
    for (const { where, sentence } of warnings) call.warn(`${where}: ${sentence}`);
    const date = new Date(call.doors.clock.now());
    const report = await check(collateralPath, date, trustRoot);
    call.output.write(call.given.has('-json') ? `${JSON.stringify({ folder: collateralPath, date: date.toISOString(), ...report })}\n` : describe(collateralPath, report, date));
    return report.complete ? exitCodes.done : exitCodes.notInOrder;
  },
};

async function check(...given: Parameters<typeof checkCollateral>): Promise<CollateralReport> {
  try {
    return await checkCollateral(...given);
  } catch (error) {
    if (!(error instanceof CollateralFolderFault)) throw error;
    return { complete: false, validUntil: null, platforms: [], items: [{ what: 'folder', state: 'missing', files: [], validUntil: null, sentence: error.message }] };
  }
}

function describe(folder: string, { items, complete, validUntil, platforms }: CollateralReport, date: Date): string {
  const lines = items.map(({ state, sentence }) => `${(state === 'good' ? 'ok' : state).padEnd(12)}${plainText(sentence)}`);
  const verdict = !complete ? `Votes are not possible with what is in ${folder}; a node without a vote stays silent and raises an alarm.`
    : `Complete until ${validUntil}${endsSoon(validUntil, date) ? ': fetch it anew before then' : ''}. Platforms: ${platforms.join(', ')}.`;
  return `${lines.join('\n')}\n${verdict}\n`;
}
