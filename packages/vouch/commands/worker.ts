import { resolve } from 'node:path';
import type { Command } from 'commander';

const stopMs = 20_000;

export function addWorker(program: Command): void {
  program
    .command('worker')
    .description('Run jobs (trainings, video runs, callbacks) without serving HTTP.')
    .option('--only <products>', 'run only the jobs of these products, separated by commas')
    .addHelpText(
      'after',
      `
Any number of workers and servers can share one database and one blob store. If a worker dies, another worker takes over its job and
continues after the last finished stage.`,
    )
    .action(async (options: { only?: string }) => {
      const { chooseProducts } = await import('../wiring/products.ts');
      const { readConfiguration } = await import('../wiring/configuration.ts');
      const { work } = await import('../wiring/work.ts');
      const { findSupervisor } = await import('../terminal/supervisor.ts');
      const { untilStopped } = await import('../terminal/untilStopped.ts');
      const configuration = readConfiguration();
      findSupervisor()?.nameData(resolve(configuration.data));
      const running = await work({ configuration, products: chooseProducts(options.only) });
      process.stdout.write(`Working on ${running.kinds.join(', ')} with ${running.postgres} PostgreSQL\n`);
      untilStopped(running.stop, stopMs);
    });
}
