import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, type BatchRecord, type TrainingRecord } from '../../../bench/harness/vouchClient.ts';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { seededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { MediaTestServer } from '../../../packages/video/testing/mediaTestServer.ts';
import { beginMixedWork, type MixedWork, type Told } from './mixedWork.ts';
import {
  askModel, clientOf, listScratch, makePlace, listJobs, removePlace, roundsShape, runVouch, startServe, stopService, uploadCatalogue, urlOf,
  waitUntil,
  type JobOutcome,
} from './place.ts';
import { findPostgres, killAll, processTree } from './processTree.ts';
import type { Service } from './service.ts';
import { findRunFaults, type RunRecord } from './videoRuns.ts';
import type { VouchPlace } from './vouchSubjects.ts';

const victims = ['server', 'database', 'worker', 'everything'] as const;
type Victim = (typeof victims)[number];

/**
 * Poll interval until the scratch folder is empty, and the longest wait. Attempt folders are removed right after the attempts end,
 * but a loaded machine may take seconds for one.
 */
const emptyLookMs = 500;
const emptyTimeoutMs = 240_000;

export interface MixedRounds {
  rounds: number;
  seed: number;
  /** The kill happens at a uniformly random moment within this range of ms after all processes are ready. */
  killAfterMs: { from: number; to: number };
  onRound?(round: number, victim: Victim, acknowledged: number): void;
}

export interface MixedReport {
  /** Number of kills per victim. */
  kills: Record<Victim, number>;
  /** Number of acknowledged requests per kind of work. */
  acknowledged: Record<Told['kind'], number>;
  /** Number of jobs per outcome, keyed as `kind status`. */
  ends: Record<string, number>;
  /** Number of jobs that were started more than once, and the highest number of attempts of a job. */
  repeated: number;
  mostAttempts: number;
  /** Acknowledged, but the work does not exist. */
  lost: string[];
  /** The work exists more than once. */
  doubled: string[];
  /** Ended as `job-abandoned`, although no job of this test is faulty. */
  abandoned: string[];
  /** Descriptions of all other faults. */
  faults: string[];
}

/**
 * Repeatedly kills a seeded choice of the server, its PostgreSQL, a worker beside it, or all of them, while uploads, trainings,
 * summarizations and cancels continue. Then waits until all work has ended, and compares the outcomes with the responses.
 */
export async function killMixedWork(options: MixedRounds): Promise<MixedReport> {
  const random = seededRandom(options.seed);
  const media = await MediaTestServer.start();
  const mediaUrl = await media.serve('/film.mp4', await makeFixture({ seconds: 6 }));
  const place = await makePlace();
  const house = await openHouse(place, { VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address, VOUCH_LOG_LEVEL: 'warn' });
  try {
    await uploadCatalogue(clientOf(place), roundsShape);
    await clientOf(place).train('previous');
    const answer = await askModel(clientOf(place), 'previous');
    const work = beginMixedWork(place, mediaUrl, random);
    const kills: Record<Victim, number> = { server: 0, database: 0, worker: 0, everything: 0 };
    const faults: string[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      await sleep(options.killAfterMs.from + random.below(options.killAfterMs.to - options.killAfterMs.from + 1));
      const victim = victims[random.below(victims.length)] as Victim;
      kills[victim]++;
      faults.push(...await house.killAndRestart(victim));
      if ((await askModel(clientOf(place), 'previous')) !== answer) faults.push(`round ${round}: the model from before answers something else`);
      options.onRound?.(round, victim, work.told.length);
    }
    await work.finish();
    const report = await compare(place, work, { kills, faults });
    report.faults.push(...await waitForEmptyScratch(place));
    return report;
  } finally {
    await house.stop();
    await removePlace(place);
    await media.close();
  }
}

/** Starts a server and a worker on one data folder. */
async function openHouse(place: VouchPlace, environment: Record<string, string>) {
  let server = await startServe(place, { environment });
  let worker = await startWorker();

  /**
   * Starts a worker. A worker that finds no database exits with an explanation, so the test starts it again, as an operator
   * would.
   */
  async function startWorker(): Promise<Service> {
    for (;;) {
      const started = await runVouch(place, ['worker'], environment);
      let over = false;
      void started.ended.then(() => { over = true; });
      await waitUntil('the worker works', async () => over || started.output().includes('Working on'));
      if (!over) return started;
    }
  }

  return {
    async killAndRestart(victim: Victim): Promise<string[]> {
      const faults: string[] = [];
      if (victim === 'everything') killAll([...processTree(server.processId), ...processTree(worker.processId), ...findPostgres(server.processId)]);
      if (victim === 'database') killAll(findPostgres(server.processId));
      if (victim === 'server') await server.kill();
      if (victim === 'worker') await worker.kill();
      for (const [name, service] of [['server', server], ['worker', worker]] as const) {
        const dies = victim === 'everything' || victim === name;
        const how = await Promise.race([service.ended, dies ? service.ended : sleep(0, null)]);
        if (!dies && how !== null) faults.push(`the ${name} ended with ${how} when the ${victim} was killed: ${service.output().slice(-500)}`);
      }
      if (await hasEnded(server)) server = await startServe(place, { environment });
      else await waitUntil('the server is ready again', async () => fetch(`${urlOf(place)}/readyz`).then(({ ok }) => ok, () => false));
      if (await hasEnded(worker)) worker = await startWorker();
      return faults;
    },
    async stop(): Promise<void> {
      await stopService(worker);
      await stopService(server);
    },
  };
}

async function hasEnded(service: Service): Promise<boolean> {
  return (await Promise.race([service.ended, sleep(0, null)])) !== null;
}

/** Returns what attempts left in the scratch folder after they ended. */
async function waitForEmptyScratch(place: VouchPlace): Promise<string[]> {
  const deadline = AbortSignal.timeout(emptyTimeoutMs);
  for (;;) {
    const left = await listScratch(place);
    if (left.length === 0 || deadline.aborted) return left.map((name) => `${name} is left in the scratch folder`);
    await sleep(emptyLookMs);
  }
}

async function compare(place: VouchPlace, work: MixedWork, { kills, faults }: Pick<MixedReport, 'kills' | 'faults'>): Promise<MixedReport> {
  const jobs = await listJobs(place);
  const { told } = work;
  const report: MixedReport = {
    kills,
    acknowledged: { upload: countOf(told, 'upload'), training: countOf(told, 'training'), run: countOf(told, 'run') },
    ends: countBy(jobs.map(({ kind, status }) => `${kind} ${status}`)),
    repeated: jobs.filter(({ attempt }) => attempt > 1).length,
    mostAttempts: Math.max(...jobs.map(({ attempt }) => attempt)),
    lost: [],
    doubled: [],
    abandoned: jobs.filter(({ code }) => code === 'job-abandoned').map(({ kind, id, attempt }) => `${kind} ${id} after ${attempt} attempts`),
    faults: [...faults, ...work.faults],
  };
  compareUploads(report, told, await clientOf(place).batches());
  compareJobs(report, told, jobs);
  const cancelled = new Set(told.filter((each) => each.cancelled).map(({ id }) => id));
  for (const { kind, id } of told) {
    if (kind === 'training') await checkTraining(report, place, id, cancelled.has(id));
    if (kind === 'run') await checkRun(report, place, id, cancelled);
  }
  return report;
}

function compareUploads({ lost, doubled, faults }: MixedReport, told: readonly Told[], batches: readonly BatchRecord[]): void {
  const rows = new Map<string, number[]>();
  for (const { tags: [tag = ''], interaction_count: count } of batches) rows.set(tag, [...(rows.get(tag) ?? []), count]);
  for (const { kind, id, rows: wanted } of told) {
    if (kind !== 'upload') continue;
    const found = rows.get(id) ?? [];
    if (found.length === 0) lost.push(`upload ${id}`);
    if (found.length > 1) doubled.push(`upload ${id} is there ${found.length} times`);
    if (found.some((count) => count !== wanted)) faults.push(`upload ${id} has ${found.join(', ')} of ${wanted} rows`);
  }
}

/** Every request was repeated until it was answered, so the number of jobs must equal the number of responses. */
function compareJobs({ doubled }: MixedReport, told: readonly Told[], jobs: readonly JobOutcome[]): void {
  const runs = jobs.filter(({ kind }) => kind.startsWith('video')).length;
  if (runs > countOf(told, 'run')) doubled.push(`${runs} runs for ${countOf(told, 'run')} acknowledged ones`);
  const trainings = countBy(jobs.filter(({ kind }) => kind.startsWith('recommender')).map(({ subject }) => subject));
  for (const [id, count] of Object.entries(trainings)) if (count > 1) doubled.push(`${id} has ${count} trainings`);
}

async function checkTraining({ lost, doubled, abandoned, faults }: MixedReport, place: VouchPlace, id: string, cancelled: boolean): Promise<void> {
  const answer = await clientOf(place).get(`/v1/recommender/${id}/status`);
  if (answer.status === 404) return void lost.push(id);
  const record = expectStatus(answer, 200) as TrainingRecord & { serving_version: number | null };
  if (record.error?.code === 'job-abandoned') return void (abandoned.length === 0 && abandoned.push(id));
  if (record.status !== (cancelled ? 'cancelled' : 'completed')) faults.push(`${id} is ${record.status}${cancelled ? ', though it was cancelled' : ''}: ${JSON.stringify(record.error)}`);
  if (record.status !== 'completed') return;
  if (record.serving_version !== 1) doubled.push(`${id} has ${record.serving_version} versions`);
  if (!(await askModel(clientOf(place), id)).includes(',')) faults.push(`${id} is completed and answers nothing`);
}

async function checkRun({ lost, faults }: MixedReport, place: VouchPlace, id: string, cancelled: ReadonlySet<string>): Promise<void> {
  const answer = await clientOf(place).get(`/v1/status/${id}`);
  if (answer.status === 404) return void lost.push(`run ${id}`);
  const record = expectStatus(answer, 200) as RunRecord;
  if (record.error?.code !== 'job-abandoned') faults.push(...await findRunFaults(record, cancelled));
}

function countOf(told: readonly Told[], kind: Told['kind']): number {
  return told.filter((each) => each.kind === kind).length;
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
