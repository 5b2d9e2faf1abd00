import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MigrationSet } from '@vouch/platform/database/migrate';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { createKeyStore } from '@vouch/platform/keys/keyStore';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { serveVouch, signalGroup, vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { Client } from '../../../packages/recommender/conformance/client.ts';

export interface StartOptions {
  /**
   * `clone` (default): a separate database on the PostgreSQL server of the test run; `embedded`: the database that vouch starts
   * in its data folder; otherwise the connection URL of a database that the caller removes.
   */
  database?: 'clone' | 'embedded' | { url: string };
  environment?: Readonly<Record<string, string>>;
  arguments?: readonly string[];
  /** Data folder. Default: a temporary folder that `stop` removes. */
  folder?: string;
  /** Admin key. */
  key?: string;
}

/** A running Vouch server for one test file. */
export interface RunningVouch {
  url: string;
  /** Admin key of organization `default`. */
  key: string;
  processId: number;
  folder: string;
  /** Client with the admin key. */
  client: Client;
  /** The server's database if it is a clone; otherwise null. */
  database: TestDatabase | null;
  /** Creates a key; by default with every right and in a new organization. */
  createKey(options?: { scopes?: readonly string[]; organization?: string }): Promise<MadeKey>;
  /**
   * Runs `vouch` with the settings of this server.
   * @throws Error with the output if the command fails
   */
  run(...words: string[]): Promise<string>;
  /** Returns the server's log so far. */
  log(): Promise<string>;
  stop(): Promise<void>;
  /** Sends SIGKILL to the server and all its children; `stop` cleans up the rest. */
  kill(): Promise<void>;
}

export interface MadeKey {
  id: string;
  key: string;
  /** Name of the organization. */
  organization: string;
}

const execute = promisify(execFile);
let organizations = 0;

/** Applied to the template of the database clones, so that each server need not create the tables of the products. */
const productMigrations: readonly MigrationSet[] = ['recommender', 'video', 'gateway'].map((product) => (
  { product, folder: new URL(`../../../packages/${product}/migrations/`, import.meta.url) }));

/**
 * Runs a command of `vouch` and returns its output.
 * @throws Error with the output if the command fails
 */
export async function runVouch(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  // Port 0, because another program may use the default port, which doctor would report.
  const env = { ...process.env, PORT: '0', ...environment };
  return (await execute(process.execPath, [vouchProgram, ...words], { env, maxBuffer: 2 ** 24 })).stdout;
}

/**
 * Starts `vouch serve` with an internal worker on a free port of 127.0.0.1 and waits until the server is ready.
 * @example
 * const vouch = await startVouch({ arguments: ['--devnet'] });
 * afterAll(() => vouch.stop());
 */
export async function startVouch(options: StartOptions = {}): Promise<RunningVouch> {
  const { database: wanted = 'clone' } = options;
  const database = wanted === 'clone' ? await openTestDatabase({ maxConnections: 3, migrations: productMigrations }) : null;
  const databaseUrl = database?.connectionString ?? (typeof wanted === 'object' ? wanted.url : undefined);
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'vouch-e2e-')));
  const key = options.key ?? `e2e-${randomBytes(24).toString('hex')}`;
  const environment = {
    VOUCH_RATE_LIMIT: '0',
    // Tests end their servers when all answers are there.
    VOUCH_DRAIN_SECONDS: '0',
    // Normal priority, because work with low priority takes minutes on a busy machine.
    VOUCH_TRAIN_NICENESS: '0',
    VOUCH_VIDEO_NICENESS: '0',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...options.environment,
  };
  const removeRest = async (): Promise<void> => {
    await database?.close();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const start = { folder, key, environment, arguments: options.arguments ?? [] };
  const serving = await serveVouch(start).catch(async (error: unknown) => {
    await removeRest();
    throw error;
  });
  // If the test run is ended from outside, the server must end too.
  const killRest = (): void => signalGroup(serving.processId, 'SIGKILL');
  const killAndEnd = (): void => {
    killRest();
    process.exit(1);
  };
  process.once('exit', killRest).once('SIGTERM', killAndEnd).once('disconnect', killAndEnd);
  const end = async (how: () => Promise<void>): Promise<void> => {
    await how();
    process.off('exit', killRest).off('SIGTERM', killAndEnd).off('disconnect', killAndEnd);
  };
  const run = (...words: string[]): Promise<string> => runVouch(words, { VOUCH_DATA: folder, PORT: new URL(serving.url).port, ...environment });
  return {
    url: serving.url,
    key,
    processId: serving.processId,
    folder,
    client: new Client(serving.url, key),
    database,
    createKey: (wishes = {}) => (database === null ? createKeyByProgram(run, wishes) : createKeyIn(database, wishes)),
    run,
    log: () => readFile(join(folder, 'serve.log'), 'utf8'),
    async stop() {
      await end(serving.stop);
      await removeRest();
    },
    kill: () => end(serving.kill),
  };
}

interface KeyWishes {
  scopes?: readonly string[];
  organization?: string;
}

function newOrganization(): string {
  return `organization ${++organizations} of ${process.pid}`;
}

/** Creates a key through the program's key store, because a process per key would take a second each. */
async function createKeyIn(database: TestDatabase, wishes: KeyWishes): Promise<MadeKey> {
  const { scopes = ['admin'], organization = newOrganization() } = wishes;
  const store = await createKeyStore({ database, system: systemInterfaces, log: createLogger('silent') });
  try {
    const organizationId = await store.ensureOrganization(organization);
    const { key, record } = await store.create({ organizationId, name: 'test', scopes });
    return { id: record.id, key, organization };
  } finally {
    await store.close();
  }
}

async function createKeyByProgram(
  run: RunningVouch['run'], { scopes = ['admin'], organization = newOrganization() }: KeyWishes,
): Promise<MadeKey> {
  const made = await run('keys', 'create', '--organization', organization, '--scope', scopes.join(','), '--json');
  const { id, key } = JSON.parse(made) as { id: string; key: string };
  return { id, key, organization };
}
