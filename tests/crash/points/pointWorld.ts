import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { collectBlobs } from '@vouch/platform/blobs/collectBlobs';
import { measureContent } from '@vouch/platform/blobs/receiveContent';
import { connectDatabase } from '@vouch/platform/database/connect';
import type { Database } from '@vouch/platform/database/database';
import { startPostgres } from '@vouch/platform/database/embeddedPostgres';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { VouchClient } from '../../../bench/harness/vouchClient.ts';
import { blobReferences } from '../../../packages/vouch/wiring/blobReferences.ts';
import { clientOf, makePlace, removePlace, waitUntil } from '../harness/place.ts';
import { armedMark, armedProgram, armSignal, parsePoint, pointEnvironment, pointProgram, readPoints, type StopAt } from '../harness/pointProgram.ts';
import { startService, type Service } from '../harness/service.ts';
import { placeEnvironment, untilReady, type VouchPlace } from '../harness/vouchSubjects.ts';

/** The installation whose program dies at each point. PostgreSQL is a separate server that stays alive. */
export interface PointWorld {
  place: VouchPlace;
  client: VouchClient;
  database: Database;
  /** Starts the program and waits until it accepts requests. It dies at `kill`, a line of `listPoints`, after `arm`; its children as `plan` says. */
  start(options?: StartOptions): Promise<Service>;
  /** Runs a command of the program, for example a backup. Its points are counted from its start. */
  run(words: readonly string[], options?: StartOptions & { environment?: Readonly<Record<string, string>> }): Promise<Service>;
  /** Creates an empty database on the same server. @returns its connection string */
  createDatabase(name: string): Promise<string>;
  /** Begins to count the points of a program. Resolves when the program counts. */
  arm(service: Service): Promise<void>;
  /** Returns the points that the program with `list` reached since `arm`, in order. */
  listPoints(): Promise<string[]>;
  /** Returns the blobs that a row names and that are not stored with their content. */
  listDamagedBlobs(): Promise<string[]>;
  /**
   * Collects the blobs without a name, as the server does after a day.
   * @returns the number of blobs that are stored although no row names them, and of blobs that a row names and that are not stored
   */
  countStrayBlobs(): Promise<{ unnamed: number; missing: number }>;
  close(): Promise<void>;
}

interface StartOptions {
  kill?: string;
  list?: boolean;
  /** Folder of a `ChildPlan`. */
  plan?: string;
}

const startTimeoutMs = 240_000;
const log = createLogger('silent');

interface WorldOptions {
  environment?: Readonly<Record<string, string>>;
  /** The program of another build. */
  program?: string | undefined;
  death?: Death | undefined;
}

/** How the program dies at its point; see `StopAt`. PostgreSQL is another machine, which keeps its power. */
export type Death = Extract<StopAt['mode'], 'kill' | `power${string}`>;

/** @param words arguments of `vouch serve` */
export async function openPointWorld(words: readonly string[], { environment = {}, program, death = 'kill' }: WorldOptions = {}): Promise<PointWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-points-'));
  // If the tests run as root, PostgreSQL's user must be able to enter the folder.
  await chmod(folder, 0o755);
  const postgres = await startPostgres({ folder, log, temporary: true });
  const place = await makePlace();
  const list = join(place.folder, 'points');
  const database = await connectDatabase({ connection: postgres.connectionString, log, maxConnections: 3 });
  const blobs = createFolderBlobs(join(place.folder, 'blobs'), systemInterfaces);

  const spawn: PointWorld['run'] = (given, { kill, list: lists = false, plan, environment: more } = {}) => startService({
    program: process.execPath, arguments: given, folder: place.folder,
    environment: {
      ...placeEnvironment(place), DATABASE_URL: postgres.connectionString, VOUCH_LOG_LEVEL: 'warn', VOUCH_JOB_LEASE_SECONDS: '2', VOUCH_TRAIN_NICENESS: '0',
      VOUCH_VIDEO_NICENESS: '0', ...environment, ...more,
      ...pointEnvironment({ disk: place.folder, stop: kill === undefined ? null : { ...parsePoint(kill), mode: death }, ...(lists ? { list } : {}), ...(plan === undefined ? {} : { plan }) }),
    },
  });

  async function start(options: StartOptions = {}): Promise<Service> {
    const service = await spawn([...pointProgram(program), 'serve', ...words], options);
    const stop = AbortSignal.timeout(startTimeoutMs);
    const how = await Promise.race([untilReady(place, stop).then(() => null), service.ended]);
    if (how === null && !stop.aborted) return service;
    await service.kill();
    throw new Error(`the program is not ready (${how}):\n${service.output()}`);
  }

  return {
    place, database, start,
    client: clientOf(place),
    run: (given, options) => spawn([...armedProgram(program), ...given], options),
    async createDatabase(name) {
      await database.query(`CREATE DATABASE "${name}"`);
      const url = new URL(postgres.connectionString);
      url.pathname = `/${name}`;
      return url.href;
    },
    async arm(service) {
      process.kill(service.processId, armSignal);
      await waitUntil('the points are armed', async () => service.output().includes(armedMark));
    },
    listPoints: () => readPoints(list),
    async listDamagedBlobs() {
      const damaged: string[] = [];
      for (const name of await listNames(database)) {
        const stored = await blobs.read(name).then(measureContent).catch(() => null);
        if (stored?.name !== name) damaged.push(name);
      }
      return damaged;
    },
    async countStrayBlobs() {
      const collection = { ...systemInterfaces, log, blobs, database, references: blobReferences, graceMs: 0, restMs: 0 };
      // The first collection marks, the second removes. A blob whose put has the time of the collection counts as younger.
      for (let times = 0; times < 2; times++) {
        await systemInterfaces.timers.sleep(5);
        await collectBlobs(collection);
      }
      const stored = new Set<string>();
      for await (const { name } of blobs.list()) stored.add(name);
      const named = await listNames(database);
      return { unnamed: [...stored].filter((name) => !named.includes(name)).length, missing: named.filter((name) => !stored.has(name)).length };
    },
    async close() {
      await database.close();
      await postgres.stop();
      await removePlace(place);
      await rm(`${place.folder}.synced`, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the names of blobs that rows contain. */
async function listNames(database: Database): Promise<string[]> {
  const { rows } = await database.query(blobReferences.join(' UNION '));
  return rows.flatMap((row) => Object.values(row as Record<string, string | null>)[0] ?? []);
}
