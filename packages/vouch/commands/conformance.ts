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
    .description('Check a server against the specification of its HTTP interfaces.')
    .option('--key <key>', 'API key, preferably of an organization for this check; the variable VOUCH_CONFORMANCE_KEY keeps the key out of the process list')
    .option('--gateway-url <url>', 'also check the signed-message gateway at this URL')
    .option('--media-url <url>', 'a video of at least 4 s that the server can download; without this option, video runs are not checked')
    .option('--json', 'print the results as JSON')
    .addHelpText(
      'after',
      `
Uploads small batches under a tag of its own, trains models on them, and deletes the batches afterwards. The models remain, because the
interface cannot delete models. The command first prints what it will do, and prints the reason for each skipped check.
Exits with 4 if a check fails. docs/conformance.md lists all checks.`,
    )
    .action(async (url: string, options: Options) => {
      const { runConformance } = await import('../conformance/runConformance.ts');
      const apiKey = options.key ?? process.env['VOUCH_CONFORMANCE_KEY'] ?? '';
      const server: ServerToCheck = { url: parseUrl(url), gatewayUrl: options.gatewayUrl === undefined ? null : parseUrl(options.gatewayUrl), apiKey, mediaUrl: options.mediaUrl ?? null };
      if (apiKey === '' && server.gatewayUrl === null) {
        throw new CommandFault(exitCodes.usage, 'Nothing to check: set --key for the recommender and the video summarization, or --gateway-url for the gateway.');
      }
      process.exitCode = await runConformance(server, options.json === true);
    });
}

/** @throws CommandFault if the text is not an HTTP URL */
function parseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new CommandFault(exitCodes.usage, `${JSON.stringify(text)} is not an HTTP URL. Use the URL of the server, e.g. http://127.0.0.1:8080.`);
}
