import { relative } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** What a command line demands: work with the parsed options, a text, or an end because of a fault. */
type Demand<T extends ParseArgsConfig> = { parsed: ReturnType<typeof parseArgs<T>> } | { help: string } | { fault: string };

/**
 * Reads the command line of a program. `--help` prints the usage and ends the process with exit code 0; words that the options do not allow end the process with
 * a sentence, the first line of the usage and exit code 2.
 * @param usage the command with its options; without `usage`, the options with their defaults
 */
export function parseCommandLine<T extends ParseArgsConfig>(config: T, usage: string = describeOptions(config, process.argv[1])): ReturnType<typeof parseArgs<T>> {
  const demand = readDemand(config, usage);
  if ('parsed' in demand) return demand.parsed;
  if ('fault' in demand) return stopCommand(demand.fault, usage);
  console.log(demand.help);
  process.exit(0);
}

/** Ends the process with exit code 2 because its command line cannot be carried out. */
export function stopCommand(fault: string, usage: string): never {
  console.error(`${fault}\n${usage.split('\n', 1)[0]}`);
  process.exit(2);
}

/**
 * Returns the number that an option sets.
 * @param least the smallest number allowed; a text that is not a whole number of at least `least` ends the process with exit code 2
 */
export function parseWholeNumber(option: string, text: string, least: number, usage: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < least) stopCommand(`--${option} must be a whole number of at least ${least}, not "${text}".`, usage);
  return number;
}

export function readDemand<T extends ParseArgsConfig>(config: T, usage: string): Demand<T> {
  try {
    const withHelp: ParseArgsConfig = { ...config, options: { ...config.options, help: { type: 'boolean', short: 'h' } } };
    return parseArgs(withHelp).values['help'] === true ? { help: usage } : { parsed: parseArgs(config) };
  } catch (error) {
    // The further sentences of parseArgs advise on arguments with a leading hyphen, which no program here takes.
    const [sentence = ''] = (error as Error).message.split(/\. |\n/, 1);
    return { fault: `${sentence.replace(/\.$/, '')}.` };
  }
}

/** Returns a usage with the default of each option, or its name in capitals. */
export function describeOptions({ options = {} }: ParseArgsConfig, program = ''): string {
  const described = Object.entries(options).map(([name, option]) => {
    if (option.type === 'boolean') return `[--${name}]`;
    return option.default === undefined || option.default === '' ? `[--${name} ${name.toUpperCase()}]` : `[--${name} ${option.default}]`;
  });
  return ['usage: node --import tsx', relative(process.cwd(), program), ...described].join(' ');
}
