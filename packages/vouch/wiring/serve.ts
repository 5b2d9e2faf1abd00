import { readdir, rm } from 'node:fs/promises';
import { createServer as createNetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { lockFolder } from '@vouch/platform/database/dataFolder';
import { addKeyRoutes } from '@vouch/platform/http/keyRoutes';
import { createServer } from '@vouch/platform/http/server';
import type { Sessions } from '@vouch/platform/http/sessionRoutes';
import { jobsFolder } from '@vouch/platform/jobs/attemptScratch';
import { createJobDurations } from '@vouch/platform/jobs/jobDurations';
import { measureJobs } from '@vouch/platform/jobs/measureJobs';
import { startWorker } from '@vouch/platform/jobs/worker';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { KeyStore } from '@vouch/platform/keys/keyStore';
import type { FileLock } from '@vouch/platform/process/fileLock';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import type { Product, ProductParts } from '@vouch/platform/product/product';
import { addWebhookRoutes } from '@vouch/platform/webhooks/webhookRoutes';
import type { FastifyInstance } from 'fastify';
import { findCrashedProcess, findSupervisor } from '../terminal/supervisor.ts';
import { addDocumentationPages } from './documentation/documentation.routes.ts';
import { version } from './version.ts';
import { Closers } from './closers.ts';
import { addMcp } from './agents/mcp.routes.ts';
import { addConsole } from './console/consoleRoutes.ts';
import { collectUnnamedBlobs } from './collectUnnamedBlobs.ts';
import { hostInUrl } from './hostInUrl.ts';
import type { Configuration } from './configuration.ts';
import { listenFault } from './listenFault.ts';
import { measureCrashes } from './measureCrashes.ts';
import { measureProcess } from './measureProcess.ts';
import { openPlatform, type OpenPlatform } from './openPlatform.ts';
import { findScratchFault } from './scratchFault.ts';
import { requireOwnStore } from './storeOwnership.ts';

const workerGraceMs = 5_000;
/** File in the data folder with the admin key that the first start creates. */
export const firstKeyFile = 'key';
const absentBlob = `sha256-${'0'.repeat(64)}`;

export interface ServeOptions {
  configuration: Configuration;
  products: readonly Product[];
  /** Whether this process also runs jobs. */
  worker: boolean;
  /** Called with the first admin key and the path of its file as soon as both exist, even if the start fails afterwards. */
  showFirstKey?(key: string, file: string): void;
}

export interface RunningServer {
  /** URL of the listening server, without a trailing slash. */
  url: string;
  platform: OpenPlatform;
  /** The first admin key if this start created it; otherwise null. */
  firstKey: string | null;
  /**
   * Finishes open requests, returns jobs to the queue, closes everything, and logs the reason for the stop and the unfinished
   * work.
   */
  stop(because?: string): Promise<void>;
}

/**
 * Connects the platform and the products and serves until `stop`. All dependencies are passed by hand here, in this one place.
 */
export async function serve({ configuration, products, worker, showFirstKey }: ServeOptions): Promise<RunningServer> {
  const closers = new Closers();
  const stopped: Stopped = { drainMs: 0, requestsLeft: 0, jobsGivenBack: 0 };
  try {
    const lock = await takeFolder(configuration);
    closers.add(() => lock.release());
    const port = await findPort(configuration.host, configuration.port);
    const url = `http://${hostInUrl(configuration.host)}:${port}`;
    const platform = await openPlatform({ configuration, publicUrl: configuration.public_url ?? url, tables: 'migrate' });
    closers.add(() => platform.close());
    await requireScratch(platform.scratch);
    await removeLeftovers(platform.scratch);
    await platform.blobs.check();
    await requireOwnStore(platform);
    const keyFile = join(resolve(configuration.data), firstKeyFile);
    const { key: firstKey } = await platform.keys.ensureFirstKey({
      adminKey: configuration.admin_key, keep: (key) => writeFileAtomically(keyFile, `${key}\n`),
    });
    if (firstKey !== null) showFirstKey?.(firstKey, keyFile);

    const parts = products.map((product) => product.build(platform, configuration));
    for (const part of parts) closers.add(() => part.close());
    const jobs = parts.flatMap((part) => part.jobs);
    platform.jobs.register(jobs);

    measureProcess(platform.metrics, version);
    measureCrashes(platform.metrics, findSupervisor());
    measureJobs(platform.metrics, platform.database, platform.log);
    const server = await createServerOf(platform, products, parts);
    closers.add(async () => {
      // Open connections can send requests until they are closed.
      stopped.requestsLeft = await server.drain();
      await server.close();
    });
    if (worker) {
      const running = await startWorker({ ...workerParts(platform), kinds: jobs, durations: createJobDurations(platform.metrics) });
      closers.add(async () => { stopped.jobsGivenBack = await running.stop(workerGraceMs); });
    }
    const sender = await platform.webhooks.startSending();
    closers.add(() => sender.close());
    for (const part of parts) part.start?.();
    const collecting = collectUnnamedBlobs(platform);
    closers.add(() => collecting.stop());

    await server.listen({ host: configuration.host, port }).catch((error: unknown) => {
      throw listenFault(error, configuration.host, port);
    });
    closers.add(() => drainServer(server, stopped));
    const lastCrash = findSupervisor()?.lastCrash() ?? null;
    if (lastCrash !== null) platform.log.error({ crash: lastCrash }, 'started again after a crash');
    platform.log.info({ url, postgres: platform.postgres, blobs: platform.blobs.kind, version }, 'serving');
    return { url, platform, firstKey, stop: (because = 'the program itself') => closeAll(closers, platform.log, because, stopped) };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Returns the parts of the platform that a worker needs; also used by `vouch worker`. */
export function workerParts(platform: OpenPlatform) {
  const { database, log, scratch, configuration, tracer } = platform;
  return { database, system: systemInterfaces, log, scratch, leaseMs: configuration.job_lease_seconds * 1_000, crashedProcess: findCrashedProcess(), ...(tracer === null ? {} : { tracer }) };
}

async function createServerOf(
  platform: OpenPlatform,
  products: readonly Product[],
  parts: readonly ProductParts[],
): Promise<FastifyInstance> {
  return createServer({
    system: systemInterfaces,
    log: platform.log,
    database: platform.database,
    metrics: platform.metrics,
    tracer: platform.tracer,
    publicUrl: platform.publicUrl,
    version,
    authenticate: (key) => platform.keys.authenticate(key),
    findEnded: (key) => platform.keys.findEnded(key),
    sessions: sessionsOf(platform.keys),
    rateLimitPerMinute: platform.configuration.rate_limit,
    trustedProxies: platform.configuration.trusted_proxies ?? [],
    corsOrigins: platform.configuration.cors_origins ?? [],
    limits: { maxWaitingPerAddress: platform.configuration.connections_per_address, drainIdleMs: platform.configuration.drain_seconds * 1_000 },
    readiness: [
      { name: 'database', isRequired: true, check: async () => void (await platform.database.query('SELECT 1')) },
      // Without the store, loaded models and everything in the database are still served. Readiness is public, so this check only reads. The start and `vouch doctor` also test writing.
      { name: 'blobs', isRequired: false, check: async () => void (await platform.blobs.stat(absentBlob)) },
    ],
    errors: products.map(({ errors }) => errors),
    routes: [
      ...parts.map((part) => (server: FastifyInstance) => part.routes(server)),
      (server) => addWebhookRoutes(server, platform.webhooks),
      (server) => addKeyRoutes(server, platform.keys, () => platform.clock.now()),
      (server) => addDocumentationPages(server, platform.publicUrl),
      (server) => addMcp(server, version),
      (server) => addConsole(server, { publicUrl: platform.publicUrl, version, now: () => platform.clock.now() }),
    ],
  });
}

function sessionsOf(keys: KeyStore): Sessions {
  return {
    authenticate: (secret) => keys.authenticateSession(secret),
    begin: (keyId) => keys.beginSession(keyId),
    end: (secret) => keys.endSession(secret),
    useLink: (secret) => keys.useSignInLink(secret),
    async describe({ keyId, organizationId }) {
      const key = await keys.find(organizationId, keyId);
      return { organization: key?.organization ?? organizationId, key: key?.name ?? '' };
    },
  };
}

/**
 * The lock prevents two servers from using one folder: both would run the jobs of the embedded database and each would delete the
 * other's files.
 */
async function takeFolder(configuration: Configuration): Promise<FileLock> {
  const folder = resolve(configuration.data);
  return lockFolder(folder);
}

/** @throws Error if temporary files cannot be written */
export async function requireScratch(scratch: string): Promise<void> {
  const fault = await findScratchFault(scratch);
  if (fault !== null) throw fault;
}

/** Removes temporary files of requests of a killed server. Job folders are kept, because they may belong to running workers. */
async function removeLeftovers(scratch: string): Promise<void> {
  for (const name of await readdir(scratch)) {
    if (name !== jobsFolder) await rm(join(scratch, name), { recursive: true, force: true });
  }
}

/** Finds the port before the server listens, because links contain it, and reports a port in use before the database starts. */
async function findPort(host: string, wanted: number): Promise<number> {
  const probe = createNetServer();
  await new Promise<void>((resolvePort, reject) => {
    probe.once('error', (error) => reject(listenFault(error, host, wanted)));
    probe.listen(wanted, host, resolvePort);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

/** Facts that the log reports about a stop. */
interface Stopped { drainMs: number; requestsLeft: number; jobsGivenBack: number }

async function drainServer(server: FastifyInstance, stopped: Stopped): Promise<void> {
  const began = systemInterfaces.clock.now();
  await server.drain();
  stopped.drainMs = systemInterfaces.clock.now() - began;
}

async function closeAll(closers: Closers, log: OpenPlatform['log'], because: string, stopped: Stopped): Promise<void> {
  const began = systemInterfaces.clock.now();
  await closers.close();
  log.info({
    because, drain_ms: stopped.drainMs, requests_cut_off: stopped.requestsLeft, jobs_given_back: stopped.jobsGivenBack,
    stop_ms: systemInterfaces.clock.now() - began,
  }, 'stopped');
}
