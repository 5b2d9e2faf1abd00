import type { Client } from '@vouch/client/client';
import type { VouchError } from '@vouch/client/problem';
import { splitIdentifiers } from '@vouch/platform/http/parameters';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { CommandFault } from './commandFault.ts';
import { isUnreachable, unreachableReason } from './unreachableReason.ts';

/** Options of commands that speak to a server over HTTP. */
export interface ServerFlags {
  url: string;
  key?: string;
  json?: boolean;
}

/** Adds the options for the server and its key, and `--json`, to a command. */
export function addServerFlags(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'URL of the server').env('VOUCH_URL').default('http://127.0.0.1:8080'))
    .option('--key <key>', 'API key; the variable VOUCH_API_KEY keeps the key out of the process list')
    .option('--json', 'print the answer of the server as JSON');
}

/** Calls a server, and prints the answer. @param describe formats the answer for people */
export async function callServer<Answer>(flags: ServerFlags, call: (client: Client) => Promise<Answer>, describe: (answer: Answer) => string): Promise<void> {
  const { createClient } = await import('@vouch/client/client');
  const apiKey = flags.key ?? process.env['VOUCH_API_KEY'] ?? '';
  if (apiKey === '') throw new CommandFault(exitCodes.usage, 'No API key is given. Set VOUCH_API_KEY, or use --key. vouch serve writes the first key to the file key in its data folder: export VOUCH_API_KEY=$(cat data/key). vouch keys create makes other keys.');
  if (!URL.canParse(flags.url) || !/^https?:$/.test(new URL(flags.url).protocol)) {
    throw new CommandFault(exitCodes.usage, `${JSON.stringify(flags.url)} is not an HTTP URL. Use the URL of the server, e.g. http://127.0.0.1:8080.`);
  }
  const answer = await call(createClient({ url: flags.url, apiKey, retries: 1 })).catch((error: unknown) => {
    if (isRefusedKey(error)) error.message += ` The key is the value of ${flags.key === undefined ? 'VOUCH_API_KEY' : '--key'}.`;
    throw isUnreachable(error) ? unreachable(flags.url, error) : error;
  });
  process.stdout.write(`${flags.json === true ? JSON.stringify(answer) : describe(answer)}\n`);
}

/** Collects the words of an option that may be repeated or have several values separated by commas. */
export function collectWords(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map((word) => word.trim()).filter((word) => word !== '')];
}

/** Collects ids as `collectWords` does; an id with a comma, or with blanks at its ends, is in double quotes. @throws InvalidArgumentError */
export function collectIds(text: string, before: readonly string[] = []): string[] {
  const ids = splitIdentifiers(text);
  if (ids === null) throw new InvalidArgumentError('A double quote is not closed. An id that contains a comma is in double quotes.');
  return [...before, ...ids.filter((id) => id !== '')];
}

/** Reads an option that is a number. @throws InvalidArgumentError */
export function parseNumber(text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError('The value must be a number.');
  return value;
}

/**
 * Returns a reader of options that are numbers within a range.
 * @param what kind of the numbers, as in "an integer"
 */
export function parseWithin(what: 'an integer' | 'a number', least: number, most: number): (text: string) => number {
  return (text) => {
    const value = parseNumber(text);
    if (value >= least && value <= most && (what === 'a number' || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`The value must be ${what} from ${least} to ${most}.`);
  };
}

/** A 401 of any cause: the key is unknown, has expired or was revoked. */
function isRefusedKey(error: unknown): error is VouchError {
  return error instanceof Error && error.name === 'VouchError' && (error as VouchError).status === 401;
}

function unreachable(url: string, error: Error): CommandFault {
  return new CommandFault(exitCodes.failed, `The server at ${url} does not answer: ${unreachableReason(url, error)}. Start it with vouch serve, or name another server with --url.`, { cause: error });
}
