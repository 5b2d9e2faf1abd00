import { startWorker } from '@vouch/platform/jobs/worker';
import type { Command } from 'commander';
import { untilStopped } from '../terminal/untilStopped.ts';
import { readConfiguration } from '../wiring/configuration.ts';
import { openPlatform } from '../wiring/openPlatform.ts';
import { chooseProducts } from '../wiring/products.ts';
import { workerParts } from '../wiring/serve.ts';

const graceMs = 5_000;
const stopMs = 20_000;

export function addWorker(program: Command): void {
  program
    .command('worker')
    .description('Run jobs (trainings) without serving HTTP.')
    .option('--only <products>', 'run only the jobs of these products, separated by commas')
    .addHelpText(
      'after',
      `
Any number of workers may run beside any number of servers over one database and one blob store. A job whose worker dies is
taken over by another one, which carries on after the last finished stage.`,
    )
    .action(async (options: { only?: string }) => {
      const products = chooseProducts(options.only);
      const configuration = readConfiguration();
      const platform = await openPlatform({ configuration, publicUrl: configuration.public_url ?? '', tables: 'migrate' });
      const parts = products.map((product) => product.build(platform, configuration));
      const jobs = parts.flatMap((part) => part.jobs);
      platform.jobs.register(jobs);
      const worker = await startWorker({ ...workerParts(platform), kinds: jobs });
      const sender = await platform.webhooks.startSending();
      process.stdout.write(`Working on ${jobs.map(({ name }) => name).join(', ')} with ${platform.postgres} PostgreSQL\n`);
      untilStopped(async () => {
        await worker.stop(graceMs);
        await sender.close();
        for (const part of parts) await part.close();
        await platform.close();
      }, stopMs);
    });
}
