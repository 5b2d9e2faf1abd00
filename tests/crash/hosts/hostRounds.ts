import { setTimeout as sleep } from 'node:timers/promises';
import { makeBucket, testS3Options } from '@vouch/platform/testing/testStores';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../../../packages/video/testing/mediaTestServer.ts';
import { seededRandom, type SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { networkNames, openNetworks } from '../harness/networks.ts';
import { waitUntil } from '../harness/place.ts';
import { untilReady, type VouchPlace } from '../harness/vouchSubjects.ts';
import { startBalancer, type Backend, type Balancer } from './balancer.ts';
import { hasVideoRun, loseHost, makeHost, removeHost, startHost, updateHost, type Host } from './cluster.ts';
import { beginClusterLoad, type LoadReport } from './clusterLoad.ts';
import { startPair, type PostgresPair } from './postgresPair.ts';
import { startStoreProxy, type StoreProxy } from './storeProxy.ts';
import { TakeoverWatch, type Takeover } from './takeover.ts';

const perRole = 3;
/** How long a partition lasts, and the store refuses. */
const faultMs = 12_000;
const calmMs = 8_000;
const withdrawnMs = 3_000;
const readyTimeoutMs = 240_000;

/** What happens in turns. */
const hostFaults = [
  'a serving machine is lost', 'a worker with a video run is lost', 'PostgreSQL fails over', 'the store answers 503', 'a serving machine is updated',
  'a serving machine is cut from the database', 'a worker is cut from the database', 'a serving machine is cut from clients and the store',
  'a worker is cut from the store',
] as const;
type HostFault = (typeof hostFaults)[number];

export interface HostRound {
  fault: HostFault;
  /** Milliseconds since the start of the reads. */
  from: number;
  to: number;
  /** From the loss of a worker until another worker took over its video run. Null for other faults. */
  takeover: Takeover | null;
}

export interface HostReport extends LoadReport {
  rounds: readonly HostRound[];
  refusedByStore: number;
}

/**
 * Runs three servers and three workers on machines of their own (network namespaces) behind a balancer, over a PostgreSQL with a synchronous standby
 * and an S3-compatible store, under a load of uploads, trainings, video runs, cancels and reads, while faults happen in turns. At the end, compares
 * what exists with what was acknowledged.
 */
export async function runHostRounds(forMs: number, seed: number, onRound: (round: HostRound) => void): Promise<HostReport> {
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const networks = await openNetworks(2 * perRole);
    closers.push(() => networks.close());
    const pair = await startPair(networks.host('database'));
    closers.push(() => pair.close());
    const store = testS3Options();
    await makeBucket(store);
    const proxy = await startStoreProxy(networks.host('web'), new URL(store.endpoint ?? ''));
    closers.push(() => proxy.close());
    const media = await MediaTestServer.start(networks.host('web'));
    closers.push(() => media.close());
    const mediaUrl = await media.serve('/film.mp4', await makeFixture({ seconds: 6 }));

    const made = await Promise.all(networks.machines.map((machine, at) => makeHost(at < perRole ? 'serve' : 'worker', machine)));
    const backends = made.filter(({ role }) => role === 'serve').map(({ place }) => ({ host: place.host ?? '', port: place.port }));
    const balancer = await startBalancer(backends);
    closers.push(() => balancer.close());
    const place: VouchPlace = { ...(made[0] as Host).place, host: '127.0.0.1', port: balancer.port };
    const environment = {
      DATABASE_URL: pair.url, VOUCH_LOG_LEVEL: 'warn', VOUCH_PUBLIC_URL: `http://127.0.0.1:${balancer.port}`, VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address,
      VOUCH_S3_ENDPOINT: `http://${networks.host('web')}:${proxy.port}`, VOUCH_S3_BUCKET: store.bucket, VOUCH_S3_REGION: store.region,
      VOUCH_S3_ACCESS_KEY_ID: store.accessKeyId ?? '', VOUCH_S3_SECRET_ACCESS_KEY: store.secretAccessKey ?? '',
    };
    const hosts: Host[] = [];
    closers.push(() => Promise.all(hosts.map(removeHost)));
    for (const host of made) hosts.push(await startHost(host, environment));
    await untilReady(place, AbortSignal.timeout(readyTimeoutMs));
    return await new Rounds({ hosts, environment, balancer, backends, pair, proxy, place, random: seededRandom(seed) }).run(forMs, mediaUrl, onRound);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

interface RoundParts {
  hosts: Host[];
  environment: Readonly<Record<string, string>>;
  balancer: Balancer;
  /** The servers behind the balancer, in the order of the hosts, which begin with the servers. */
  backends: readonly Backend[];
  pair: PostgresPair;
  proxy: StoreProxy;
  /** The balancer as a server. */
  place: VouchPlace;
  random: SeededRandom;
}

class Rounds {
  readonly #parts: RoundParts;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  async run(forMs: number, mediaUrl: string, onRound: (round: HostRound) => void): Promise<HostReport> {
    const { place, pair, proxy, balancer, random } = this.#parts;
    const load = await beginClusterLoad(place, balancer, mediaUrl, random);
    const began = performance.now();
    const since = (): number => Math.round(performance.now() - began);
    const rounds: HostRound[] = [];
    for (let at = 0; since() < forMs; at++) {
      await sleep(calmMs);
      const fault = hostFaults[at % hostFaults.length] as HostFault;
      const from = since();
      const takeover = await this.#happen(fault);
      await waitUntil('every server is ready', async () => balancer.ready().length === perRole);
      const round = { fault, from, to: since(), takeover };
      rounds.push(round);
      onRound(round);
    }
    return { ...(await load.finish(pair.url)), rounds, refusedByStore: proxy.refused() };
  }

  /** Lets a fault happen and ends it. @returns the takeover of a video run, or null */
  async #happen(fault: HostFault): Promise<Takeover | null> {
    const { pair, proxy } = this.#parts;
    switch (fault) {
      case 'a serving machine is lost':
        await this.#lose(this.#pick('serve'));
        return null;
      case 'a worker with a video run is lost':
        return this.#loseVideoWorker();
      case 'PostgreSQL fails over':
        await pair.failOver();
        return null;
      case 'the store answers 503':
        proxy.refuse(true);
        await sleep(faultMs);
        proxy.refuse(false);
        return null;
      case 'a serving machine is updated':
        await this.#update(this.#pick('serve'));
        return null;
      case 'a serving machine is cut from the database': return this.#cut('serve', 'database');
      case 'a worker is cut from the database': return this.#cut('worker', 'database');
      case 'a serving machine is cut from clients and the store': return this.#cut('serve', 'web');
      case 'a worker is cut from the store': return this.#cut('worker', 'web');
    }
  }

  #pick(role: Host['role']): number {
    const places = this.#parts.hosts.flatMap((host, at) => (host.role === role ? [at] : []));
    return this.#parts.random.pick(places);
  }

  /** Updates a server as the manifests for Kubernetes do: it gets no new connection for some seconds before it is told to stop. */
  async #update(at: number): Promise<void> {
    const { hosts, balancer, backends, environment } = this.#parts;
    const backend = backends[at] as Backend;
    balancer.withdraw(backend);
    await sleep(withdrawnMs);
    hosts[at] = await updateHost(hosts[at] as Host, environment);
    balancer.admit(backend);
  }

  async #cut(role: Host['role'], network: 'database' | 'web'): Promise<null> {
    const { machine } = this.#parts.hosts[this.#pick(role)] as Host;
    await machine.cut(network);
    await sleep(faultMs);
    await machine.join(network);
    return null;
  }

  /** Loses a machine for some seconds and starts it again. */
  async #lose(at: number, meanwhile: () => Promise<void> = () => sleep(faultMs)): Promise<void> {
    const host = this.#parts.hosts[at] as Host;
    await loseHost(host);
    await meanwhile();
    await host.machine.join(...networkNames);
    this.#parts.hosts[at] = await startHost(host, this.#parts.environment);
  }

  async #loseVideoWorker(): Promise<Takeover | null> {
    const { hosts } = this.#parts;
    let at = -1;
    await waitUntil('a worker has a video run', async () => {
      at = hosts.findIndex((host) => host.role === 'worker' && hasVideoRun(host));
      return at >= 0;
    });
    const watch = await TakeoverWatch.begin(this.#parts.pair.url);
    let takeover: Takeover | null = null;
    await this.#lose(at, async () => {
      takeover = await watch.finish(perRole - 1);
    });
    return takeover;
  }
}
