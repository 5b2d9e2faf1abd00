import type { Command } from 'commander';

/** Draining takes up to 30 s, giving jobs back and closing the database some more. */
const stopMs = 45_000;

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Serve the HTTP interface, with workers inside.')
    .option('--no-worker', 'answer requests only; run jobs elsewhere with vouch worker')
    .option('--only <products>', 'serve only these products, separated by commas')
    .addHelpText(
      'after',
      `
Listens on HOST:PORT (127.0.0.1:8080) and keeps its data in VOUCH_DATA (./data). The first start makes an admin key and
prints it once. SIGTERM finishes open requests, gives running jobs back to the queue and ends within 45 s.`,
    )
    .action(async (options: { worker: boolean; only?: string }) => {
      const { chooseProducts } = await import('../wiring/products.ts');
      const { readConfiguration } = await import('../wiring/configuration.ts');
      const { serve } = await import('../wiring/serve.ts');
      const { untilStopped } = await import('../terminal/untilStopped.ts');
      const running = await serve({
        configuration: readConfiguration(),
        products: chooseProducts(options.only),
        worker: options.worker,
      });
      if (running.firstKey !== null) {
        process.stdout.write(
          `The first admin key, shown only now: ${running.firstKey}\nSend it in the header apikey. vouch keys create makes further ones.\n`,
        );
      }
      process.stdout.write(`Serving on ${running.url}  (interface: ${running.url}/docs)\n`);
      untilStopped(running.stop, stopMs);
    });
}
