import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import type { ServerToCheck } from '../conformance/openServer.ts';
import { CommandFault } from '../terminal/commandFault.ts';

interface Options {
  key?: string;
  gatewayUrl?: string;
  mediaUrl?: string;
  json?: boolean;
}

export function addConformance(program: Command): void {
  program
    .command('conformance <url>')
    .description('Check a server against the specification of the interfaces, over HTTP.')
    .option('--key <key>', 'API key, best of an organization made for this; VOUCH_CONFORMANCE_KEY keeps it out of the list of processes')
    .option('--gateway-url <url>', 'also check the signed-message gateway there')
    .option('--media-url <url>', 'a video of 4 s or more that the server may fetch; without it, runs are not checked')
    .option('--json', 'print the results as JSON')
    .addHelpText(
      'after',
      `
Uploads small batches under a tag of its own, trains models of them, and deletes the batches afterwards; models stay, since the
interface cannot delete them. Says before it begins what it will do, and of each check that is skipped why.
Exits with 4 where a check fails. docs/conformance.md lists all checks.`,
    )
    .action(async (url: string, options: Options) => {
      const { runConformance } = await import('../conformance/runConformance.ts');
      const apiKey = options.key ?? process.env['VOUCH_CONFORMANCE_KEY'] ?? '';
      const server: ServerToCheck = { url: readUrl(url), gatewayUrl: options.gatewayUrl === undefined ? null : readUrl(options.gatewayUrl), apiKey, mediaUrl: options.mediaUrl ?? null };
      if (apiKey === '' && server.gatewayUrl === null) {
        throw new CommandFault(exitCodes.usage, 'There is nothing to check: give --key for the recommender and the video summarization, or --gateway-url for the gateway.');
      }
      process.exitCode = await runConformance(server, options.json === true);
    });
}

/** @throws Error where it is no HTTP URL */
function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new CommandFault(exitCodes.usage, `${JSON.stringify(text)} is not an HTTP URL. Give the URL of the server, e.g. http://127.0.0.1:8080.`);
}
