import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fetchWhole } from '@vouch/platform/outbound/fetchWhole';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import type { DemoContext } from '@vouch/platform/product/product';
import { shellWord } from '../terminal/shellWord.ts';
import { formatTable } from '../terminal/table.ts';
import { readConfiguration, type Configuration } from '../wiring/configuration.ts';
import { withLocalChain } from '../devnet/withLocalChain.ts';
import { products } from '../wiring/products.ts';
import { firstKeyFile, serve, type RunningServer } from '../wiring/serve.ts';
import { openFileServer, type FileServer } from './fileServer.ts';
import { runNode } from './runNode.ts';

/** An example command line for the reader, valid while the demo server runs. */
interface Suggestion {
  purpose: string;
  commandLine: string;
}

export type RunningDemo = RunningServer & { suggestions: readonly Suggestion[] };

/** Starts the demo server with its own data folder and runs the demo step of every product. */
export async function runDemo(): Promise<RunningDemo> {
  const files = await openFileServer();
  try {
    const running = await startDemo(files);
    const stop = async (because?: string): Promise<void> => {
      await running.stop(because);
      await files.close();
    };
    try {
      const suggestions = await showSteps(running, files);
      return { ...running, stop, suggestions };
    } catch (error) {
      await running.stop();
      throw error;
    }
  } catch (error) {
    await files.close();
    throw error;
  }
}

type DemoServer = RunningServer & { apiKey: string };

async function startDemo(files: FileServer): Promise<DemoServer> {
  const read = (overrides: Readonly<Record<string, string>>): Configuration => demoConfiguration(overrides, files);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  print(`The demo takes one to two minutes, a repeated demo half of that. Its database and files are in ${read({}).data}.`);
  const { configuration, chain } = await withLocalChain(read, products, { print, showUrl: false });
  const stopChain = async (): Promise<void> => void (await chain?.stop());
  const running = await serve({ configuration, products, worker: true }).catch(async (error: unknown) => {
    await stopChain();
    throw error;
  });
  await chain?.nameGateway(running.url);
  const apiKey = await demoKey(running, join(resolve(configuration.data), firstKeyFile));
  const stop = async (because?: string): Promise<void> => {
    await running.stop(because);
    await stopChain();
  };
  return { ...running, apiKey, stop };
}

function demoConfiguration(overrides: Readonly<Record<string, string>>, files: FileServer): Configuration {
  const given = readConfiguration(overrides);
  const allowed = given.allow_private_addresses;
  return {
    ...given,
    data: join(given.data, 'demo'),
    allow_private_addresses: typeof allowed === 'boolean' ? allowed || [files.address] : [...allowed, files.address],
    // The demo prints tables; the log is shown only if VOUCH_LOG_LEVEL is set.
    log_level: process.env['VOUCH_LOG_LEVEL'] === undefined ? ('warn' as const) : given.log_level,
  };
}

/**
 * Returns the key of this first start; else the key of an earlier demo, if the server still accepts that key; else a new key,
 * which is stored in a file readable by this user only.
 */
async function demoKey(running: RunningServer, path: string): Promise<string> {
  if (running.firstKey !== null) return running.firstKey;
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (kept !== '' && (await running.platform.keys.authenticate(kept)) !== null) return kept;
  const organizationId = await running.platform.keys.ensureOrganization('default');
  const { key } = await running.platform.keys.create({ organizationId, name: 'demo', scopes: ['admin'] });
  await writeFileAtomically(path, `${key}\n`);
  return key;
}

async function showSteps(running: DemoServer, files: FileServer): Promise<Suggestion[]> {
  const suggestions: Suggestion[] = [];
  const folder = resolve(running.platform.configuration.data);
  const keyFile = join(folder, firstKeyFile);
  const context: DemoContext = {
    baseUrl: running.url,
    apiKey: running.apiKey,
    apiKeyInShell: `$(cat ${shellWord(keyFile)})`,
    fetch: fetchWhole,
    system: systemInterfaces,
    folder,
    share: files.share,
    print: (text) => process.stdout.write(`${text}\n`),
    suggest: (purpose, commandLine) => void suggestions.push({ purpose, commandLine }),
    table: (title, columns, rows) => process.stdout.write(`\n${formatTable(title, columns, rows)}\n\n`),
  };
  // The verifier node is not a product of the server. The node's step comes last, because it uses the gateway.
  for (const step of [...products.flatMap(({ demo }) => demo), runNode]) await step.run(context);
  return suggestions;
}
