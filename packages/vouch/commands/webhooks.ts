import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';

interface Options {
  organization: string;
  json?: boolean;
}

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('Callbacks: the secret that signs them.');
  const secret = webhooks.command('secret').description('Show or replace the signing secret of an organization.');

  const add = (name: 'show' | 'rotate', description: string, help: string): void => {
    secret
      .command(name)
      .description(description)
      .option('--organization <name>', 'whose secret', 'default')
      .option('--json', 'print it as JSON')
      .addHelpText('after', help)
      .action(async (options: Options) => {
        const { withPlatform } = await import('../wiring/withPlatform.ts');
        const found = await withPlatform(async (platform) => {
          const id = await platform.keys.findOrganization(options.organization);
          if (id === null) throw new CommandFault(exitCodes.input, `There is no organization ${JSON.stringify(options.organization)}. vouch keys list shows the keys of all.`);
          return name === 'show' ? platform.webhooks.showSecret(id) : platform.webhooks.rotateSecret(id);
        });
        if (options.json) {
          process.stdout.write(`${JSON.stringify({ secret: found.secret, created_at: found.createdAt, previous_until: found.previousUntil })}\n`);
          return;
        }
        process.stdout.write(`${found.secret}\n`);
        if (found.previousUntil !== null) process.stdout.write(`The secret before it signs as well until ${found.previousUntil.toISOString()}.\n`);
      });
  };

  add('show', 'Print the secret that signs callbacks.', '\nGive it to the receiver; any Standard Webhooks library verifies with it.');
  add('rotate', 'Replace the secret; the old one signs as well for 24 hours.', '\nGive the new secret to the receiver within 24 hours.');
}
