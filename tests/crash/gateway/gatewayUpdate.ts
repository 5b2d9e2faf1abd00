import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@vouch/platform/database/embeddedPostgres';
import { createLogger } from '@vouch/platform/log/logger';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { seededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { makePlace, removePlace, startServe, stopService, waitUntil } from '../harness/place.ts';
import { createLedger } from '../harness/ledger.ts';
import type { Service } from '../harness/service.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';
import { startBalancer } from '../hosts/balancer.ts';
import { openBudgets } from './gatewayBudgets.ts';
import { createLoad, type Message } from './gatewayLoad.ts';
import { openWorld } from './gatewayWorld.ts';
import { untilEnded } from './standbyGateway.ts';

/** A gateway that was started with another program. */
export interface GatewayUpdate {
  to: 'new' | 'earlier';
  /** Milliseconds since the start of the load. */
  at: number;
  /** From the signal to the old process until the new one is ready. */
  seconds: number;
}

export interface GatewayUpdateReport {
  updates: number;
  accepted: number;
  /** Times and reasons of requests without an answer or with status 5xx, which their client has to repeat. */
  repeated: string[];
  /** Messages refused with 4xx. */
  refused: number;
  /** Number of accepted messages by final status. */
  ends: Readonly<Record<string, number>>;
  /** Accepted messages without an event on the chain. */
  lost: string[];
  /** Messages with more than one event, whether or not they were accepted. */
  twice: string[];
}

const gatewayCount = 2;
const calmMs = 5_000;
/** A gateway gets no new connections for so long before it is told to stop, as in the manifests for Kubernetes. */
const withdrawnMs = 3_000;
/** Node's fetch closes a connection that was idle for 4 s. A gateway that keeps its connections for longer meets no request on a connection that it closes. */
const drainSeconds = 5;
/** About ten messages per second from four clients: a load that two cores carry beside the chain and PostgreSQL. */
const pauseMsMax = 800;

/**
 * Starts two gateways of an earlier release behind a balancer, with one PostgreSQL, two relayer keys and a chain with one block per second. While messages are
 * sent all the time, replaces one after the other with the program of this checkout, and then with the earlier one again.
 * @param earlier path of `dist/vouch.js` of the earlier release
 */
export async function runGatewayUpdate(earlier: string, seed: number, onUpdate: (update: GatewayUpdate) => void): Promise<GatewayUpdateReport> {
  const closers: (() => Promise<unknown>)[] = [];
  try {
    // This contract would execute a claimer message twice, so a message that is sent twice is visible.
    const world = await openWorld(false);
    closers.push(() => world.close());
    const folder = await mkdtemp(join(tmpdir(), 'vouch-update-'));
    // If the tests run as root, PostgreSQL's user must be able to enter the folder.
    await chmod(folder, 0o755);
    const postgres = await startPostgres({ folder, log: createLogger('silent'), temporary: true });
    closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }), () => postgres.stop());
    const places = await Promise.all(Array.from({ length: gatewayCount }, makePlace));
    closers.push(() => Promise.all(places.map(removePlace)));
    const backends = places.map(({ port }) => ({ host: '127.0.0.1', port }));
    const balancer = await startBalancer(backends);
    closers.push(() => balancer.close());
    const environment = { ...world.environment, DATABASE_URL: postgres.connectionString, VOUCH_LOG_LEVEL: 'warn', VOUCH_DRAIN_SECONDS: String(drainSeconds) };
    const start = (place: VouchPlace, program: string): Promise<Service> => startServe({ ...place, program }, { arguments: ['--only', 'gateway'], environment });
    const allReady = (): Promise<void> => waitUntil('both gateways are ready', async () => balancer.ready().length === gatewayCount);
    const services: Service[] = [];
    closers.push(() => Promise.all(services.map(stopService)));
    for (const place of places) services.push(await start(place, earlier));
    await openBudgets(places[0] as VouchPlace);
    await allReady();

    const ledger = createLedger<Message>();
    const repeated: string[] = [];
    const began = performance.now();
    const unanswered = (why: string): void => void repeated.push(`${((performance.now() - began) / 1_000).toFixed(1)} s: ${why}`);
    const load = createLoad({ ...world, place: { ...(places[0] as VouchPlace), port: balancer.port } }, pauseMsMax, unanswered);
    const stop = new AbortController();
    const driving = load.drive(ledger, seededRandom(seed), stop.signal);
    driving.catch(() => undefined);
    let updates = 0;
    try {
      for (const [to, program] of [['new', vouchProgram], ['earlier', earlier]] as const) {
        for (const [at, place] of places.entries()) {
          await sleep(calmMs);
          balancer.withdraw(backends[at]!);
          await sleep(withdrawnMs);
          const stoppedAt = performance.now();
          await stopService(services[at]!);
          services[at] = await start(place, program);
          balancer.admit(backends[at]!);
          await allReady();
          updates += 1;
          onUpdate({ to, at: stoppedAt - began, seconds: (performance.now() - stoppedAt) / 1_000 });
        }
      }
      await sleep(calmMs);
    } finally {
      stop.abort();
      await driving;
    }
    const entries = [...ledger.entries()].map(([, entry]) => entry);
    const inState = (state: string): Message[] => entries.flatMap((entry) => (entry.state === state ? [entry.effect] : []));
    const [refused, accepted] = [inState('refused').length, inState('acknowledged')];
    const ends = await untilEnded(places[0] as VouchPlace, ledger);
    const effects = await world.countEffects();
    return {
      updates, repeated, refused, accepted: accepted.length, ends,
      lost: accepted.flatMap(({ key }) => (effects.has(key) ? [] : [key])),
      twice: [...effects].flatMap(([key, times]) => (times > 1 ? [`${key}: ${times} times`] : [])),
    };
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}
