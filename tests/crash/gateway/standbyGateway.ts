import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../harness/ledger.ts';
import { makePlace, removePlace } from '../harness/place.ts';
import { armSignal, pointEnvironment, pointProgram, reachedMark } from '../harness/pointProgram.ts';
import { startService, type Service } from '../harness/service.ts';
import { placeEnvironment, untilReady, type VouchPlace } from '../harness/vouchSubjects.ts';
import { findCrashPoint } from './crashPoints.ts';
import { openBudgets } from './gatewayBudgets.ts';
import type { Message } from './gatewayLoad.ts';
import type { GatewayWorld } from './gatewayWorld.ts';
import { awaitEnd, isEnd } from './requestRecords.ts';

/** One of several gateways that share a database. */
export interface StandbyGateway {
  place: VouchPlace;
  service: Service;
  /** Stops the process, as with SIGSTOP, the next time it reaches its crash point. Resolves when the process has stopped. */
  hangAtPoint(): Promise<void>;
  /** Sends SIGCONT. */
  wake(): void;
  /** Resolves when the log contains the text after the position `from`; see `logLength`. */
  untilLogged(text: string, from?: number): Promise<void>;
  logLength(): number;
  /** Sends SIGKILL and removes the data folder. */
  close(): Promise<void>;
}

/** Log message of a process that starts to write the transactions of a key. */
export const writes = 'writing the transactions of a relayer key';

const readyTimeoutMs = 200_000;
/** Messages end within seconds after the last one was sent; the limit allows for a slow machine and a backlog. */
const endTimeoutMs = 300_000;
/** A takeover takes seconds; the limit allows for a slow machine. */
const logTimeoutMs = 150_000;

/** Location of a gateway on a simulated machine: the prefix of its command line, and its IP address. */
export interface Elsewhere {
  prefix: readonly string[];
  host: string;
}

/**
 * Starts a gateway for the world's chain on a shared database.
 * @param point name of the crash point at which `hangAtPoint` stops the gateway; '' for none
 */
export async function startStandby(world: GatewayWorld, databaseUrl: string, point: string, elsewhere?: Elsewhere): Promise<StandbyGateway> {
  const place: VouchPlace = { ...(await makePlace()), ...(elsewhere === undefined ? {} : { host: elsewhere.host }) };
  const [first, ...words] = [...(elsewhere?.prefix ?? []), process.execPath, ...pointProgram(), 'serve', '--only', 'gateway'];
  const stop = point === '' ? null : { where: findCrashPoint(point).where, count: 1, mode: 'hang' as const };
  const service = await startService({
    program: first as string,
    arguments: words,
    environment: { ...placeEnvironment(place), ...world.environment, DATABASE_URL: databaseUrl, ...pointEnvironment({ stop }) },
  });
  await Promise.race([untilReady(place, AbortSignal.timeout(readyTimeoutMs)), service.ended]);
  await openBudgets(place);
  const untilLogged = async (text: string, from = 0): Promise<void> => {
    const deadline = AbortSignal.timeout(logTimeoutMs);
    while (!service.output().slice(from).includes(text)) {
      if (deadline.aborted) throw new Error(`after ${logTimeoutMs / 1_000} s no line of the gateway says "${text}": ${service.output().slice(from).slice(-2_000)}`);
      await sleep(20);
    }
  };
  return {
    place, service, untilLogged,
    async hangAtPoint() {
      process.kill(service.processId, armSignal);
      await untilLogged(reachedMark);
    },
    wake: () => void process.kill(service.processId, 'SIGCONT'),
    logLength: () => service.output().length,
    async close() {
      await service.kill();
      await removePlace(place);
    },
  };
}

/** Resolves when the gateway accepts requests. */
export async function untilServed(place: VouchPlace): Promise<void> {
  await untilReady(place, AbortSignal.timeout(readyTimeoutMs));
}

/**
 * Polls a gateway for the record of each accepted message until all messages have ended.
 * @returns the number of messages by final status
 * @throws Error if a message has not ended after 5 minutes
 */
export async function untilEnded(place: VouchPlace, ledger: Ledger<Message>): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  const deadline = performance.now() + endTimeoutMs;
  for (const [, { state, effect }] of ledger.entries()) {
    if (state !== 'acknowledged') continue;
    const { status, reason } = await awaitEnd(place, effect.record, deadline);
    if (!isEnd(status)) throw new Error(`after ${endTimeoutMs / 1_000} s, ${effect.record ?? effect.key} is ${status}`);
    const end = reason === '' ? status : `${status}: ${reason.split(':', 1)[0]}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}
