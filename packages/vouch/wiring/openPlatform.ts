import { join, resolve } from 'node:path';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { createS3Blobs } from '@vouch/platform/blobs/s3Blobs';
import { connectDatabase } from '@vouch/platform/database/connect';
import { makeDataFolder } from '@vouch/platform/database/makeDataFolder';
import type { Database } from '@vouch/platform/database/database';
import { startPostgres } from '@vouch/platform/database/embeddedPostgres';
import { folderFault } from '@vouch/platform/database/dataFolder';
import { migrate, platformMigrations, type MigrationSet } from '@vouch/platform/database/migrate';
import { createOutbound } from '@vouch/platform/outbound/createOutbound';
import { createJobQueue, type RegisteringJobQueue } from '@vouch/platform/jobs/queue';
import { createKeyStore, type KeyStore } from '@vouch/platform/keys/keyStore';
import { logDestination } from '@vouch/platform/log/logDestination';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import type { Platform } from '@vouch/platform/product/product';
import type { Tracing } from '@vouch/platform/tracing/openTracing';
import { createWebhooks, type WebhookService } from '@vouch/platform/webhooks/createWebhooks';
import { Registry } from 'prom-client';
import { Closers } from './closers.ts';
import type { Configuration } from './configuration.ts';
import { products } from './products.ts';
import { version } from './version.ts';

/** Size limit of the local cache of S3 blobs, in bytes. The least recently used copies are removed first. */
const maxCacheBytes = 20e9;

/** The platform, extended with parts that only this program uses. */
export interface OpenPlatform extends Platform {
  jobs: RegisteringJobQueue;
  webhooks: WebhookService;
  keys: KeyStore;
  configuration: Configuration;
  /** Describes the PostgreSQL server, for people. */
  postgres: string;
  /** Closes all opened resources in reverse order. */
  close(): Promise<void>;
}

/** Migrations of the platform and of every product, in the order in which they are applied. */
export const migrationSets: readonly MigrationSet[] = [
  platformMigrations,
  ...products.map(({ name, migrations }) => ({ product: name, folder: migrations })),
];

export interface OpenOptions {
  configuration: Configuration;
  publicUrl: string;
  /** `migrate` applies pending migrations first; `as-is` leaves the tables unchanged. */
  tables: 'migrate' | 'as-is';
}

/**
 * Opens the database, the blob store and the other parts of the platform, in this order. If a part fails to open, closes the
 * parts that are already open.
 */
export async function openPlatform(options: OpenOptions): Promise<OpenPlatform> {
  const { configuration } = options;
  const log = createLogger(configuration.log_level, logDestination(configuration.log_format));
  const dataFolder = resolve(configuration.data);
  const closers = new Closers();
  try {
    await makeDataFolder(dataFolder).catch((error: NodeJS.ErrnoException) => {
      throw folderFault(dataFolder, error);
    });
    const { database, postgres } = await openDatabase(configuration, dataFolder, log, closers);
    if (options.tables === 'migrate') {
      const applied = await migrate(database, migrationSets);
      if (applied.length > 0) log.info({ applied }, 'updated the database tables');
    }
    const scratch = join(dataFolder, 'scratch');
    await makeFolder(scratch).catch((error: NodeJS.ErrnoException) => {
      throw folderFault(dataFolder, error);
    });
    const outbound = createOutbound({ allowPrivateAddresses: configuration.allow_private_addresses }, systemInterfaces.timers);
    closers.add(() => outbound.close());
    const tracing = await openTraces(configuration, log);
    if (tracing !== null) closers.add(() => tracing.close());
    const tracer = tracing?.tracer ?? null;
    const keys = await createKeyStore({ database, system: systemInterfaces, log });
    closers.add(() => keys.close());
    return {
      ...systemInterfaces,
      log,
      configuration,
      database,
      postgres,
      blobs: openBlobs(configuration, dataFolder),
      jobs: createJobQueue(database, systemInterfaces),
      webhooks: createWebhooks({ database, outbound, system: systemInterfaces, log, ...(tracer === null ? {} : { tracer }) }),
      tracer,
      keys,
      outbound,
      metrics: new Registry(),
      scratch,
      publicUrl: options.publicUrl,
      close: () => closers.close(),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function openTraces({ otlp_endpoint: endpoint }: Configuration, log: Platform['log']): Promise<Tracing | null> {
  if (endpoint === undefined) return null;
  // Most processes send no traces and need not load the SDK.
  const { openTracing } = await import('@vouch/platform/tracing/openTracing');
  return openTracing({ endpoint, version, log, system: systemInterfaces });
}

async function openDatabase(
  configuration: Configuration,
  dataFolder: string,
  log: Platform['log'],
  closers: Closers,
): Promise<{ database: Database; postgres: string }> {
  let connection = configuration.database_url;
  let postgres = 'external (DATABASE_URL)';
  if (connection === undefined) {
    const embedded = await startPostgres({ folder: dataFolder, log });
    closers.add(() => embedded.stop());
    connection = embedded.connectionString;
    postgres = `embedded ${embedded.version} (${embedded.source})`;
  }
  const database = await connectDatabase({ connection, log, maxConnections: 10 });
  closers.add(() => database.close());
  return { database, postgres };
}

function openBlobs(configuration: Configuration, dataFolder: string): Blobs {
  const { s3_bucket: bucket, s3_endpoint: endpoint, s3_region: region } = configuration;
  const { s3_access_key_id: accessKeyId, s3_secret_access_key: secretAccessKey } = configuration;
  if (bucket === undefined) return createFolderBlobs(join(dataFolder, 'blobs'), systemInterfaces);
  const credentials = {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId === undefined ? {} : { accessKeyId }),
    ...(secretAccessKey === undefined ? {} : { secretAccessKey }),
  };
  const cache = { folder: join(dataFolder, 'cache'), maxBytes: maxCacheBytes };
  return createS3Blobs({ bucket, region, ...credentials }, cache, systemInterfaces);
}
