import { exitCodes } from '@vouch/platform/process/exitCodes';
import { plainText } from '@vouch/platform/log/plainText';
import { ConfigurationFault } from '../config/configurationFault.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { examine } from '../doctor/examine.ts';
import { found, type NodeFinding } from '../doctor/findings.ts';
import type { Call, Command } from './command.ts';
import { configurationFlagNames, configurationFlags } from './configurationFlags.ts';

const marks: Readonly<Record<NodeFinding['status'], string>> = { ok: 'ok      ', warning: 'warning ', fault: 'FAULT   ' };

export const doctor: Command = {
  name: 'doctor',
  summary: 'diagnose problems of configuration, key, disk, chain, gateway, clock, node and collateral; suggest fixes',
  flags: [...configurationFlagNames, '-json'],
  async run(call) {
    const findings = await examineAll(call);
    call.output.write(call.given.has('-json') ? `${JSON.stringify({ healthy: findings.every(({ status }) => status === 'ok'), findings })}\n` : describe(findings));
    return findings.some(({ status }) => status === 'fault') ? exitCodes.notInOrder : exitCodes.done;
  },
};

/** Runs all checks. An invalid configuration is itself a finding, and the only one, because all other checks depend on it. */
async function examineAll(call: Call): Promise<NodeFinding[]> {
  try {
    return await examine({ loaded: loadConfiguration(configurationFlags(call)), secrets: call.secrets, system: call.system });
  } catch (error) {
    if (!(error instanceof ConfigurationFault)) throw error;
    const remedy = 'Correct the configuration. The other checks run once the configuration is valid.';
    return [
      ...error.faults.map(({ where, sentence }) => found('configuration', 'configuration-wrong', `${where}: ${sentence}`, remedy)),
      ...error.warnings.map(({ where, sentence }) => found('configuration', 'configuration-doubtful', `${where}: ${sentence}`, remedy)),
    ];
  }
}

function describe(findings: readonly NodeFinding[]): string {
  const lines = findings.flatMap((each) => [
    `${marks[each.status]}${each.check.padEnd(14)} ${plainText(each.detail)}`,
    ...(each.status === 'ok' ? [] : [`${' '.repeat(23)}→ ${plainText(each.remedy)} [${each.code}]`]),
  ]);
  const [faults, warnings] = (['fault', 'warning'] as const).map((status) => findings.filter((each) => each.status === status).length);
  const verdict = faults === 0 && warnings === 0 ? 'The node is healthy.' : `Found ${count(faults, 'fault')} and ${count(warnings, 'warning')}.`;
  return `${lines.join('\n')}\n${verdict}\n`;
}

function count(number = 0, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
