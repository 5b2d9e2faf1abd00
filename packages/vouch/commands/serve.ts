import { resolve } from 'node:path';
import type { Command } from 'commander';

/**
 * Longest duration of a stop: open requests get up to 30 s; returning jobs to the queue and closing the database take the rest.
 */
const stopMs = 45_000;

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Serve the HTTP interface and run jobs.')
    .option('--no-worker', 'only answer requests; run jobs in separate vouch worker processes')
    .option('--only <products>', 'serve only these products, separated by commas')
    .option('--devnet', 'also start a local chain for the gateway, if no chain is configured')
    .addHelpText(
      'after',
      `
Listens on HOST:PORT (127.0.0.1:8080) and stores data in VOUCH_DATA (./data). The first start creates an admin key and writes it to the
file key in that folder, which only this user can read. On a terminal, the start also prints the key; into a pipe or log, the start does not print the key. On
SIGTERM, the server finishes open requests, returns running jobs to the queue and ends within 45 s. vouch devnet --help describes the
local chain.`,
    )
    .action(runServe);
}

interface Options {
  worker: boolean;
  only?: string;
  devnet?: true;
}

async function runServe({ worker, only, devnet }: Options): Promise<void> {
  const { chooseProducts } = await import('../wiring/products.ts');
  const { readConfiguration } = await import('../wiring/configuration.ts');
  const { serve } = await import('../wiring/serve.ts');
  const { describeFirstKey } = await import('../terminal/describeFirstKey.ts');
  const { describeConsole } = await import('../terminal/signInLink.ts');
  const { findSupervisor } = await import('../terminal/supervisor.ts');
  const { untilStopped } = await import('../terminal/untilStopped.ts');
  const { withLocalChain } = await import('../devnet/withLocalChain.ts');
  const products = chooseProducts(only);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const { configuration, chain } = devnet
    ? await withLocalChain(readConfiguration, products, { print })
    : { configuration: readConfiguration(), chain: null };
  findSupervisor()?.nameData(resolve(configuration.data));
  const showFirstKey = (key: string, file: string): void => print(describeFirstKey(key, file, process.stdout.isTTY));
  const running = await serve({ configuration, products, worker, showFirstKey }).catch(async (error: unknown) => {
    await chain?.stop();
    throw error;
  });
  await chain?.nameGateway(running.url).catch((error: unknown) => print(`${chain.nodeFile} could not be written: ${String(error)}`));
  print(`Serving on ${running.url}  (documentation: ${running.url}/docs)`);
  print(await describeConsole(running, process.stdout.isTTY));
  untilStopped(async (because) => {
    await running.stop(because);
    await chain?.stop();
  }, stopMs);
}
