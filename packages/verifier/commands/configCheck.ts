import { exitCodes } from '@vouch/platform/process/exitCodes';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { showConfiguration } from '../config/showConfiguration.ts';
import type { Command } from './command.ts';
import { configurationFlagNames, configurationFlags } from './configurationFlags.ts';

export const configCheck: Command = {
  name: 'config check',
  summary: 'check the configuration and print each value with its origin; opens no key',
  flags: [...configurationFlagNames, '-json'],
  async run(call) {
    const loaded = loadConfiguration(configurationFlags(call));
    const values = showConfiguration(loaded);
    for (const { where, sentence } of loaded.warnings) call.warn(`${where}: ${sentence}`);
    if (call.given.has('-json')) {
      call.output.write(`${JSON.stringify({ values, warnings: loaded.warnings })}\n`);
      return exitCodes.done;
    }
    const width = Math.max(...values.map(({ key }) => key.length));
    for (const { key, value, from } of values) call.output.write(`${key.padEnd(width)}  ${value}  (${from})\n`);
    call.output.write(loaded.warnings.length === 0 ? 'The configuration is valid.\n' : `The configuration is valid, with ${loaded.warnings.length === 1 ? 'a warning' : `${loaded.warnings.length} warnings`}.\n`);
    return exitCodes.done;
  },
};
