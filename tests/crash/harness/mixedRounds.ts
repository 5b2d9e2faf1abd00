import { setTimeout as sleep } from 'node:timers/promises';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { seededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { MediaTestServer } from '../../../packages/video/testing/mediaTestServer.ts';
import { compareWork, type WorkReport } from './compareWork.ts';
import { beginMixedWork } from './mixedWork.ts';
import {
  askModel, clientOf, listScratch, makePlace, listJobs, removePlace, roundsShape, startServe, startWorker, stopService, uploadCatalogue, urlOf,
  waitUntil,
} from './place.ts';
import { findPostgres, killAll, processTree } from './processTree.ts';
import type { Service } from './service.ts';
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

/** What the work became, and the number of kills per victim. */
export interface MixedReport extends WorkReport {
  kills: Record<Victim, number>;
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
    const report = await compareWork(place, work, await listJobs(place));
    report.faults.push(...faults, ...await waitForEmptyScratch(place));
    return { kills, ...report };
  } finally {
    await house.stop();
    await removePlace(place);
    await media.close();
  }
}

/** Starts a server and a worker on one data folder. */
async function openHouse(place: VouchPlace, environment: Record<string, string>) {
  let server = await startServe(place, { environment });
  let worker = await startWorker(place, environment);

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
      if (await hasEnded(worker)) worker = await startWorker(place, environment);
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
