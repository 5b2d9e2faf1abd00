import { nearestName } from '@vouch/platform/config/nearestName';
import { ConfigurationFault, showName } from '../config/configurationFault.ts';
import { flags, type FlagName } from './flags.ts';

export interface Arguments {
  /** Arguments that are not flags, in order. */
  words: readonly string[];
  /** Flags with their values; `true` for a flag without a value. */
  given: ReadonlyMap<FlagName, string | true>;
}

/** Other names of flags. */
const aliases: Readonly<Record<string, FlagName>> = { '-help': '-h' };

/**
 * Parses a command line in the style of Go programs: `-flag value` or `-flag=value`, one dash or two, `-flag=false` for a switch;
 * after `--`, all arguments are words. The other programs of this repository use commander, but commander parses `-conf` as the four
 * flags -c -o -n -f, and the documented flags have one dash.
 * @throws ConfigurationFault for an unknown flag, a missing value or a duplicate flag; the message never contains a value
 */
export function parseArguments(given: readonly string[]): Arguments {
  const words: string[] = [];
  const read = new Map<FlagName, string | true>();
  for (let at = 0; at < given.length; at += 1) {
    const argument = given[at] ?? '';
    if (argument === '--') {
      words.push(...given.slice(at + 1));
      break;
    }
    if (!/^--?[a-zA-Z]/.test(argument)) {
      words.push(argument);
      continue;
    }
    const { name, value } = split(argument);
    const flag = flags.find((known) => known.name === name) ?? refuseUnknown(name);
    if (read.has(flag.name)) refuse(flag.name, 'the flag is given twice; use it only once.');
    if (flag.value === null) {
      if (value !== undefined && value !== 'true' && value !== 'false') refuse(flag.name, 'the flag takes no value.');
      if (value !== 'false') read.set(flag.name, true);
      continue;
    }
    const next = value ?? given[at + 1];
    if (next === undefined || next === '' || (value === undefined && isFlag(next))) refuse(flag.name, `the value is missing: ${flag.name} <${flag.value}>.`);
    if (value === undefined) at += 1;
    read.set(flag.name, next ?? '');
  }
  return { words, given: read };
}

function split(argument: string): { name: string; value: string | undefined } {
  const equals = argument.indexOf('=');
  const written = (equals < 0 ? argument : argument.slice(0, equals)).replace(/^--/, '-');
  return { name: aliases[written] ?? written, value: equals < 0 ? undefined : argument.slice(equals + 1) };
}

function isFlag(argument: string): boolean {
  const { name } = split(argument);
  return flags.some((known) => known.name === name);
}

function refuseUnknown(name: string): never {
  const near = nearestName(name, flags.map((flag) => flag.name));
  return refuse(showName(name), near === null ? 'unknown flag; verifier -h lists the flags.' : `unknown flag; did you mean ${near}?`);
}

function refuse(where: string, sentence: string): never {
  throw new ConfigurationFault([{ where, sentence }]);
}
