import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { entityPieces, interactionPieces } from '../../../bench/data/generate.ts';
import { parseConnection } from '@vouch/platform/database/passfile';
import { connectionStringOf } from '@vouch/platform/database/runningServer';
import { freePort } from '@vouch/platform/testing/freePort';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { connectVouch, expectStatus, type TrainingRecord, type VouchClient } from '../../../bench/harness/vouchClient.ts';
import { startService, type Service } from './service.ts';
import { processTree, untilGone } from './processTree.ts';
import { placeEnvironment, untilReady, type VouchPlace } from './vouchSubjects.ts';

/** A training in the jobs table. */
export interface TrainingJob {
  id: string;
  status: string;
  attempt: number;
  stage: string | null;
  /** Results of the completed stages. */
  checkpoints: Record<string, unknown>;
}

/** Status of a job and its number of attempts. */
export interface JobOutcome {
  id: string;
  kind: string;
  subject: string;
  status: string;
  attempt: number;
  /** Code of the job's error. */
  code: string | null;
}

/** Allows for a loaded machine, because the first start creates a database. */
const startTimeoutMs = 240_000;
const waitTimeoutMs = 240_000;
/** Lease of the jobs of all services that `runVouch` starts. */
export const leaseSeconds = 4;
/** Each stage of a training on this catalogue takes some tenths of a second, so that a test can interrupt the stage. */
const smallShape = { items: 150, users: 800, interactions: 8_000, seed: 5 };
/** A training on this catalogue takes twice as long, so that more of the kills at random moments hit it. */
export const roundsShape = { items: 300, users: 3_000, interactions: 30_000, seed: 5 };

/** Creates an empty data folder and chooses a port and a key. */
export async function makePlace(): Promise<VouchPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-crash-'));
  // If the tests run as root, PostgreSQL's user must be able to enter the folder.
  await chmod(folder, 0o755);
  return { folder, port: await freePort(), key: 'crash-key-0123456789abcdef' };
}

/**
 * Starts `vouch serve` for a place and waits until the server accepts requests.
 * @throws Error with the server's output if the server does not become ready
 */
export async function startServe(place: VouchPlace, more: { arguments?: string[]; environment?: Record<string, string> } = {}): Promise<Service> {
  const service = await runVouch(place, ['serve', ...(more.arguments ?? [])], more.environment);
  const stop = AbortSignal.timeout(startTimeoutMs);
  await Promise.race([untilReady(place, stop), service.ended]);
  const ready = await fetch(`${urlOf(place)}/readyz`).then((answer) => answer.ok, () => false);
  if (ready) return service;
  await service.kill();
  throw new Error(`vouch serve is not ready:\n${service.output()}`);
}

/**
 * Runs a command of `vouch` with the settings of a place, in a separate process group.
 * @param prefix words before the command, such as those that run it in a network namespace
 */
export async function runVouch(place: VouchPlace, words: string[], environment: Readonly<Record<string, string>> = {}, prefix: readonly string[] = []): Promise<Service> {
  const [program = '', ...more] = [...prefix, process.execPath, place.program ?? vouchProgram, ...words];
  return startService({
    program, arguments: more, folder: place.folder,
    environment: {
      ...placeEnvironment(place), VOUCH_LOG_LEVEL: 'debug', VOUCH_JOB_LEASE_SECONDS: String(leaseSeconds),
      // Normal priority, because work with low priority waits for the other tests.
      VOUCH_TRAIN_NICENESS: '0', VOUCH_VIDEO_NICENESS: '0', ...environment,
    },
  });
}

/**
 * Starts a worker and waits until it works. A worker that finds no database exits with an explanation, so the test starts it again, as an operator
 * would.
 */
export async function startWorker(place: VouchPlace, environment: Readonly<Record<string, string>>, prefix: readonly string[] = []): Promise<Service> {
  for (;;) {
    const started = await runVouch(place, ['worker'], environment, prefix);
    let over = false;
    void started.ended.then(() => { over = true; });
    await waitUntil('the worker works', async () => over || started.output().includes('Working on'));
    if (!over) return started;
  }
}

/** Sends SIGTERM and resolves with the exit code when all processes of the service have ended. */
export async function stopService(service: Service): Promise<number | NodeJS.Signals> {
  const tree = processTree(service.processId);
  try {
    process.kill(service.processId, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  const how = await service.ended;
  await untilGone(tree);
  return how;
}

export async function removePlace({ folder }: VouchPlace): Promise<void> {
  // A PostgreSQL whose server was killed may still write its last checkpoint, so the removal is retried.
  await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}

export function clientOf(place: VouchPlace): VouchClient {
  return connectVouch(urlOf(place), place.key);
}

export function urlOf({ port }: VouchPlace): string {
  return `http://127.0.0.1:${port}`;
}

/** Uploads a generated catalogue. */
export async function uploadCatalogue(client: VouchClient, shape = smallShape, tag = 'catalogue'): Promise<void> {
  const files = [
    { name: 'entities.csv', content: entityPieces(shape) },
    { name: 'interactions.csv', content: interactionPieces(shape) },
  ];
  expectStatus(await client.upload(files, [tag]), 201);
}

/** For trainings of tests that are not about the choice of a setting: the choice takes most of the processor time of a small training. */
export const withoutChoice = { parameters: { setting: 'default' } };

/**
 * Starts a training and waits until the given stage runs.
 * @throws Error if the training ends before
 */
export async function trainUntil(client: VouchClient, modelId: string, stage: string, request: object = withoutChoice): Promise<void> {
  expectStatus(await client.post('/v1/recommender/train', { model_id: modelId, ...request }), 202);
  await waitUntil(`${modelId} is in the stage ${stage}`, async () => {
    const record: TrainingRecord = await client.status(modelId);
    if (record.status !== 'queued' && record.status !== 'running') throw new Error(`${modelId} has ended: ${JSON.stringify(record)}`);
    return record.stage === stage;
  });
}

/** Returns the response of a model for one of its items. */
export async function askModel(client: VouchClient, modelId: string): Promise<string> {
  const query = new URLSearchParams({ model_id: modelId, entity_id: 'i0', max_recommendations: '10' });
  return String(expectStatus(await client.get(`/v1/recommender/related_items?${query}`), 200));
}

/** Reads the job of a model's latest training directly from the database. */
export async function findJob(place: VouchPlace, modelId: string, databaseUrl?: string): Promise<TrainingJob> {
  const client = new Client(parseConnection(databaseUrl ?? (await embeddedDatabase(place))));
  await client.connect();
  try {
    const { rows } = await client.query<TrainingJob>(
      'SELECT id, status, attempt, stage, checkpoints FROM jobs WHERE subject = $1 ORDER BY number DESC LIMIT 1', [modelId]);
    if (rows.length === 0) throw new Error(`${modelId} has no job`);
    return rows[0] as TrainingJob;
  } finally {
    await client.end();
  }
}

/** Reads all jobs of an installation; by default, from its embedded database. */
export async function listJobs(place: VouchPlace, databaseUrl?: string): Promise<JobOutcome[]> {
  const client = new Client(parseConnection(databaseUrl ?? (await embeddedDatabase(place))));
  await client.connect();
  try {
    return (await client.query<JobOutcome>(`SELECT id, kind, subject, status, attempt, error ->> 'code' AS code FROM jobs`)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the stages of a job whose results a process stored, in order, according to the process's log. */
export function storedStages(service: Service, jobId: string): string[] {
  const lines = service.output().split('\n').filter((line) => line.includes('"training stage stored"') && line.includes(jobId));
  return lines.map((line) => (JSON.parse(line) as { stage: string }).stage);
}

/** Lists the scratch folder. The list is empty if no request and no training runs. */
export async function listScratch({ folder }: VouchPlace): Promise<string[]> {
  return (await readdir(join(folder, 'scratch'), { recursive: true })).filter((name) => name !== 'jobs');
}

/** Returns the names of the stored blobs, without duplicates. */
export async function listBlobs({ folder }: VouchPlace): Promise<string[]> {
  const names = await readdir(join(folder, 'blobs'), { recursive: true });
  return names.flatMap((name) => /sha256-[0-9a-f]{64}$/.exec(name)?.[0] ?? []).toSorted();
}

/**
 * Polls a condition every 25 ms; each poll costs the server and this process a few ms.
 * @throws Error after 240 s
 */
export async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(waitTimeoutMs);
  while (!(await holds())) {
    if (deadline.aborted) throw new Error(`waited ${waitTimeoutMs / 1000} s until ${what}`);
    await sleep(25);
  }
}

/** Returns the connection URL of the embedded database of a running server. */
export async function embeddedDatabase({ folder }: VouchPlace): Promise<string> {
  const { sockets } = JSON.parse(await readFile(join(folder, 'postgres/server.json'), 'utf8')) as { sockets: string };
  return connectionStringOf(join(folder, 'postgres'), sockets, 'vouch');
}
