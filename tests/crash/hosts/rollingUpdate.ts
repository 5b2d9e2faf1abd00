import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@vouch/platform/database/embeddedPostgres';
import { createLogger } from '@vouch/platform/log/logger';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { seededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../../../packages/video/testing/mediaTestServer.ts';
import { makePlace, removePlace, startServe, startWorker, stopService, waitUntil } from '../harness/place.ts';
import type { Service } from '../harness/service.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';
import { startBalancer, type Backend, type Balancer } from './balancer.ts';
import { beginClusterLoad, type LoadReport } from './clusterLoad.ts';

const [serverCount, workerCount] = [3, 2];
const calmMs = 5_000;
/** A server gets no new connections for so long before it is told to stop, as in the manifests for Kubernetes. */
const withdrawnMs = 3_000;

/** A service that was started with another program. */
export interface Update {
  role: Member['role'];
  to: 'new' | 'earlier';
  /** Milliseconds since the start of the load. */
  at: number;
  seconds: number;
}

export interface UpdateReport extends LoadReport {
  updates: readonly Update[];
}

interface Member {
  role: 'server' | 'worker';
  place: VouchPlace;
  service: Service;
}

/**
 * Starts three servers behind a balancer and two workers with the program of an earlier release. Under uploads, trainings, video runs, cancels and reads,
 * replaces one after the other with the program of this checkout, and then with the earlier one again.
 * @param earlier path of `dist/vouch.js` of the earlier release
 */
export async function runRollingUpdate(earlier: string, seed: number, onUpdate: (update: Update) => void): Promise<UpdateReport> {
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-update-'));
    // If the tests run as root, PostgreSQL's user must be able to enter the folder.
    await chmod(folder, 0o755);
    closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }));
    const postgres = await startPostgres({ folder: join(folder, 'postgres'), log: createLogger('silent'), temporary: true });
    closers.push(() => postgres.stop());
    const media = await MediaTestServer.start();
    closers.push(() => media.close());
    const mediaUrl = await media.serve('/film.mp4', await makeFixture({ seconds: 6 }));
    const places = await makePlaces(folder, serverCount + workerCount, earlier);
    closers.push(() => Promise.all(places.map(removePlace)));
    const backends = places.slice(0, serverCount).map(({ port }) => ({ host: '127.0.0.1', port }));
    const balancer = await startBalancer(backends);
    closers.push(() => balancer.close());
    const environment = {
      DATABASE_URL: postgres.connectionString, VOUCH_LOG_LEVEL: 'warn', VOUCH_PUBLIC_URL: `http://127.0.0.1:${balancer.port}`, VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address,
    };
    const members: Member[] = [];
    closers.push(() => Promise.all(members.map(({ service }) => stopService(service))));
    for (const [at, place] of places.entries()) members.push(await start(at < serverCount ? 'server' : 'worker', place, environment));
    await waitUntil('every server is ready', async () => balancer.ready().length === serverCount);
    return await new RollingUpdate({ members, environment, balancer, backends, databaseUrl: postgres.connectionString, earlier }).run(mediaUrl, seed, onUpdate);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** Data folders of servers that share keys and a blob store. */
async function makePlaces(folder: string, count: number, program: string): Promise<VouchPlace[]> {
  await mkdir(join(folder, 'blobs'));
  return Promise.all(Array.from({ length: count }, async () => {
    const place = await makePlace();
    await symlink(join(folder, 'blobs'), join(place.folder, 'blobs'));
    return { ...place, program };
  }));
}

async function start(role: Member['role'], place: VouchPlace, environment: Record<string, string>): Promise<Member> {
  const service = role === 'server' ? await startServe(place, { arguments: ['--no-worker'], environment }) : await startWorker(place, environment);
  return { role, place, service };
}

interface UpdateParts {
  /** The servers, then the workers. */
  members: Member[];
  environment: Record<string, string>;
  balancer: Balancer;
  backends: readonly Backend[];
  databaseUrl: string;
  earlier: string;
}

class RollingUpdate {
  readonly #parts: UpdateParts;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  async run(mediaUrl: string, seed: number, onUpdate: (update: Update) => void): Promise<UpdateReport> {
    const { members, balancer, databaseUrl, earlier } = this.#parts;
    const place: VouchPlace = { ...(members[0] as Member).place, port: balancer.port };
    const load = await beginClusterLoad(place, balancer, mediaUrl, seededRandom(seed));
    const loadBegan = performance.now();
    const updates: Update[] = [];
    for (const [to, program] of [['new', vouchProgram], ['earlier', earlier]] as const) {
      for (const [at, { role }] of members.entries()) {
        await sleep(calmMs);
        const began = performance.now();
        await this.#update(at, program);
        const update = { role, to, at: began - loadBegan, seconds: (performance.now() - began) / 1_000 };
        updates.push(update);
        onUpdate(update);
      }
    }
    await sleep(calmMs);
    return { ...(await load.finish(databaseUrl)), updates };
  }

  async #update(at: number, program: string): Promise<void> {
    const { members, balancer, backends, environment } = this.#parts;
    const { role, place, service } = members[at] as Member;
    const backend = backends[at];
    if (backend !== undefined) {
      balancer.withdraw(backend);
      await sleep(withdrawnMs);
    }
    await stopService(service);
    members[at] = await start(role, { ...place, program }, environment);
    if (backend === undefined) return;
    balancer.admit(backend);
    await waitUntil('every server is ready', async () => balancer.ready().length === serverCount);
  }
}
