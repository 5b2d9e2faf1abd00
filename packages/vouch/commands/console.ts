import type { Command } from 'commander';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { CommandFault } from '../terminal/commandFault.ts';

export function addConsoleCommand(program: Command): void {
  program
    .command('console')
    .description('Print a link that signs in to the web console. The link works once, for ten minutes.')
    .addHelpText(
      'after',
      `
The link signs in with the rights of the oldest admin key of the organization default. The server must be running; the link uses its public
URL (VOUCH_PUBLIC_URL), or else HOST and PORT.`,
    )
    .action(async () => {
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const { hostInUrl } = await import('../wiring/hostInUrl.ts');
      const { signInLink } = await import('../terminal/signInLink.ts');
      const link = await withPlatform(async ({ keys, configuration: { public_url: publicUrl, host, port } }) => {
        const secret = await keys.makeSignInLink();
        return secret === null ? null : signInLink(publicUrl ?? `http://${hostInUrl(host)}:${port}`, secret);
      });
      if (link === null) throw new CommandFault(exitCodes.input, 'The organization default has no valid admin key. vouch keys create --scope admin creates one.');
      process.stdout.write(`${link}\n`);
    });
}
