import type { SettingEntry } from '@vouch/platform/config/loadConfiguration';
import type { Command, CommanderError } from 'commander';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { CommandFault } from './commandFault.ts';

/**
 * Explains a command-line error and its remedy. For an unknown option with the name of a setting, names the variable.
 * @param given the words after `vouch`
 * @param listSettings lists the settings; called only for an unknown option, because the schemas take long to load
 */
export async function explainUsage(
  error: CommanderError, program: Command, given: readonly string[], listSettings: () => Promise<readonly SettingEntry[]>,
): Promise<CommandFault> {
  const message = error.message.replace(/^error: /, '').replace(/\n/g, ' ');
  const setting = error.code === 'commander.unknownOption' ? settingOf(/'--([\w-]+)(?:=[^']*)?'/.exec(message)?.[1], given, await listSettings()) : null;
  const sentence = `${message}${/[.!?)]$/.test(message) ? '' : '.'} ${setting ?? `${namedCommand(program, given)} --help lists the commands and options.`}`;
  return new CommandFault(exitCodes.usage, sentence, { cause: error });
}

/** Returns the full name of the command in the given words, e.g. `vouch keys create`. */
function namedCommand(program: Command, given: readonly string[]): string {
  const [word, ...others] = given;
  const command = program.commands.find((each) => each.name() === word);
  return command === undefined ? program.name() : `${program.name()} ${namedCommand(command, others)}`;
}

/** Returns the explanation for an unknown option that has the name of a setting; null for other options. */
function settingOf(option: string | undefined, given: readonly string[], settings: readonly SettingEntry[]): string | null {
  if (option === undefined) return null;
  const key = option.replaceAll('-', '_');
  const setting = settings.find((each) => each.key === key || each.variable.toLowerCase() === key);
  if (setting === undefined) return null;
  const value = setting.secret ? '…' : (valueOf(option, given) ?? '…');
  return `Settings come from the environment and from vouch.toml: set ${setting.variable}=${value}, for example ${setting.variable}=${value} vouch ${given[0] ?? 'serve'}. docs/guides/settings.md lists them.`;
}

function valueOf(option: string, given: readonly string[]): string | undefined {
  const at = given.findIndex((word) => word === `--${option}` || word.startsWith(`--${option}=`));
  const [, joined] = /=(.*)/.exec(given[at] ?? '') ?? [];
  const next = given[at + 1];
  return joined ?? (next?.startsWith('-') ? undefined : next);
}
