import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import { nearestName } from '@vouch/platform/config/nearestName';
import { exitCodeName, exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import type { Command, Surroundings } from './commands/command.ts';
import { commands } from './commands/commands.ts';
import type { FlagName } from './commands/flags.ts';
import { commandHelp } from './commands/help.ts';
import { parseArguments, type Arguments } from './commands/parseArguments.ts';
import { ConfigurationFault, showName, showValue } from './config/configurationFault.ts';
import { Interrupted, KeyFault } from './keys/keyFault.ts';
import { SecretInput } from './keys/secretInput.ts';

/**
 * Runs the node program once.
 * @param given arguments after the program's name
 * @returns the exit code; errors are printed as sentences on the error stream
 * @example
 * process.exitCode = await main(['status', '-json'], surroundings);
 */
export async function main(given: readonly string[], surroundings: Surroundings): Promise<number> {
  const { errors } = surroundings;
  const warn = (sentence: string): void => void errors.write(`verifier: warning: ${sentence}\n`);
  try {
    const read = parseArguments(given);
    if (read.given.has('-h')) {
      surroundings.output.write(commandHelp(helpedCommand(read.words)));
      return exitCodes.done;
    }
    const { command, argument } = findCommand(read);
    return await command.run({ ...surroundings, given: read.given, argument, secrets: new SecretInput(surroundings.input, errors), warn });
  } catch (error) {
    if (error instanceof ConfigurationFault) for (const { where, sentence } of error.warnings) warn(`${where}: ${sentence}`);
    const sentences = describe(error);
    for (const sentence of sentences) errors.write(`verifier: ${sentence}\n`);
    const exitCode = exitCodeOf(error);
    if (wantsJson(given)) surroundings.output.write(`${JSON.stringify({ error: { code: exitCodeName(exitCode), detail: sentences.join(' ') } })}\n`);
    return exitCode;
  }
}

function findCommand({ words, given }: Arguments): { command: Command; argument: string } {
  const { command, argument } = matchWords(words) ?? refuseCommand(words.join(' '));
  const { name } = command;
  const called = name === '' ? 'verifier without a command' : `verifier ${name}`;
  const foreign = [...given.keys()].filter((flag) => !command.flags.includes(flag));
  if (foreign.length > 0) refuse(foreign[0] as FlagName, `${called} does not have this flag${command.flags.length === 0 ? '' : `; its flags are ${command.flags.join(', ')}`}.`);
  const missing = (command.required ?? []).find((flag) => !given.has(flag));
  if (missing !== undefined) refuse(called, `the required flag ${missing} is missing.`);
  if (command.argument !== undefined && argument === '') refuse(called, `<${command.argument}> is missing: verifier ${name} <${command.argument}>.`);
  return { command, argument };
}

/** Finds the command of the words, with its argument if the command takes one. */
function matchWords(words: readonly string[]): { command: Command; argument: string } | null {
  const whole = commands.find(({ name }) => name === words.join(' '));
  if (whole !== undefined) return { command: whole, argument: '' };
  const front = commands.find(({ name, argument }) => argument !== undefined && name === words.slice(0, -1).join(' '));
  return front === undefined ? null : { command: front, argument: words.at(-1) ?? '' };
}

/** Returns the command whose help to show. For an incomplete name such as `keystore`, the help of the program lists the commands. */
function helpedCommand(words: readonly string[]): Command {
  return matchWords(words)?.command ?? (commands[0] as Command);
}

function refuseCommand(name: string): never {
  const names = commands.map((command) => command.name).filter((known) => known !== '');
  const below = names.filter((known) => known.startsWith(`${name} `));
  if (below.length > 0) refuse(name, `the command requires one of ${below.join(', ')}.`);
  const near = nearestName(name, names);
  return refuse(showName(name), near === null
    ? 'unknown command; verifier -h lists the commands. Without a command, verifier runs the node.'
    : `unknown command; did you mean ${near}? verifier -h lists the commands.`);
}

function refuse(where: string, sentence: string): never {
  throw new ConfigurationFault([{ where, sentence }]);
}

/** Whether -json is given; works also if the command line cannot be parsed. */
function wantsJson(given: readonly string[]): boolean {
  return given.some((argument) => /^--?json(=true)?$/.test(argument));
}

function describe(error: unknown): string[] {
  if (error instanceof ConfigurationFault) return error.faults.map(({ where, sentence }) => `${where}: ${sentence}`);
  if (error instanceof KeyFault) return [error.message];
  if (error instanceof RpcUnavailable || error instanceof RpcRefused) return [`${error.message.replace(/\.?$/, '.')} Check chain.rpc_url and the connection.`];
  if (error instanceof Interrupted) return ['interrupted; no changes were made.'];
  return [`internal error: ${showValue(error instanceof Error ? error.message : String(error))}. Please report this error with the output of "verifier version".`];
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ConfigurationFault) return exitCodes.usage;
  if (error instanceof KeyFault) return exitCodes.input;
  return error instanceof Interrupted ? exitCodes.interrupted : exitCodes.failed;
}
