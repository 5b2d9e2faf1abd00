import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';
import { addDeliveries } from './webhookDeliveries.ts';

interface Options {
  organization: string;
  json?: boolean;
}

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('List callbacks and send them again; show and replace the secret that signs them.');
  addDeliveries(webhooks);
  const secret = webhooks.command('secret').description('Show or replace the signing secret of an organization.');

  const add = (name: 'show' | 'rotate', description: string, help: string): void => {
    secret
      .command(name)
      .description(description)
      .option('--organization <name>', 'organization of the secret', 'default')
      .option('--json', 'print the secret as JSON')
      .addHelpText('after', help)
      .action(async (options: Options) => {
        const { withPlatform } = await import('../wiring/withPlatform.ts');
        const found = await withPlatform(async (platform) => {
          const id = await platform.keys.findOrganization(options.organization);
          if (id === null) throw new CommandFault(exitCodes.input, `No organization has the name ${JSON.stringify(options.organization)}. vouch keys list shows the keys of all organizations.`);
          return name === 'show' ? platform.webhooks.showSecret(id) : platform.webhooks.rotateSecret(id);
        });
        if (options.json) {
          process.stdout.write(`${JSON.stringify({ secret: found.secret, created_at: found.createdAt, previous_until: found.previousUntil })}\n`);
          return;
        }
        process.stdout.write(`${found.secret}\n`);
        if (found.previousUntil !== null) process.stdout.write(`Callbacks are also signed with the previous secret until ${found.previousUntil.toISOString()}.\n`);
      });
  };

  add('show', 'Print the secret that signs callbacks.', '\nThe receiver verifies callbacks with this secret and any Standard Webhooks library.');
  add('rotate', 'Replace the secret. For 24 hours, callbacks are signed with both secrets.', '\nGive the new secret to the receiver within 24 hours.');
}
