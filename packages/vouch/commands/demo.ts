import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { realDoors } from '@vouch/platform/process/doors';
import type { DemoContext } from '@vouch/platform/product/product';
import type { Command } from 'commander';
import { formatTable } from '../terminal/table.ts';
import { untilStopped } from '../terminal/untilStopped.ts';
import { readConfiguration } from '../wiring/configuration.ts';
import { products } from '../wiring/products.ts';
import { serve, type RunningServer } from '../wiring/serve.ts';

const stopMs = 45_000;

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('Serve a generated sample and show what Vouch makes of it.')
    .option('--once', 'end after the tables instead of serving on')
    .addHelpText(
      'after',
      `
Keeps its own database in demo/ of the data folder (./data/demo) and its key there in the file key. The sample is made by the
program from a known model, so that right and wrong answers are known; it shows that everything works together, not how good
recommendations of real data are. A second run finds the trained model.`,
    )
    .action(async (options: { once?: boolean }) => {
      const running = await startDemo();
      try {
        await showSteps(running);
        if (options.once) {
          await running.stop();
          return;
        }
      } catch (error) {
        await running.stop();
        throw error;
      }
      process.stdout.write(`\nServing on ${running.url} (interface: ${running.url}/docs). Ctrl-C ends it; the data stays.\n`);
      untilStopped(running.stop, stopMs);
    });
}

type DemoServer = RunningServer & { apiKey: string };

async function startDemo(): Promise<DemoServer> {
  const given = readConfiguration();
  const configuration = {
    ...given,
    data: join(given.data, 'demo'),
    // Tables are what this command prints; set VOUCH_LOG_LEVEL to see the log beside them.
    log_level: process.env['VOUCH_LOG_LEVEL'] === undefined ? ('warn' as const) : given.log_level,
  };
  process.stdout.write(`Starting Vouch with its own database in ${configuration.data} …\n`);
  const running = await serve({ configuration, products, worker: true });
  const apiKey = await demoKey(running, join(resolve(configuration.data), 'key'));
  return { ...running, apiKey };
}

/** The key of earlier runs where it still works, else a new one, readable by this user alone. */
async function demoKey(running: RunningServer, path: string): Promise<string> {
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (running.firstKey === null && kept !== '' && (await running.platform.keys.authenticate(kept)) !== null) return kept;
  const organizationId = await running.platform.keys.ensureOrganization('default');
  const key = running.firstKey ?? (await running.platform.keys.create({ organizationId, name: 'demo', scopes: ['admin'] })).key;
  await writeFile(path, `${key}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return key;
}

async function showSteps(running: DemoServer): Promise<void> {
  const context: DemoContext = {
    baseUrl: running.url,
    apiKey: running.apiKey,
    fetch,
    doors: realDoors,
    print: (text) => process.stdout.write(`${text}\n`),
    table: (title, columns, rows) => process.stdout.write(`\n${formatTable(title, columns, rows)}\n\n`),
  };
  for (const product of products) for (const step of product.demo) await step.run(context);
  process.stdout.write(`The key is ${running.apiKey}, kept in ${join(running.platform.configuration.data, 'key')}.\n`);
}
