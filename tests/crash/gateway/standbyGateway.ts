import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../harness/ledger.ts';
import { makePlace, removePlace } from '../harness/place.ts';
import { startService, type Service } from '../harness/service.ts';
import { placeEnvironment, untilReady, type VouchPlace } from '../harness/vouchSubjects.ts';
import { crashEnvironment, crashingProgram } from './crashingProgram.ts';
import { armSignal, crashMark } from './crashPoints.ts';
import type { Message } from './gatewayLoad.ts';
import type { GatewayWorld } from './gatewayWorld.ts';

/** One of several gateways on one database. */
export interface StandbyGateway {
  place: VouchPlace;
  service: Service;
  /** Has the process stop, as by SIGSTOP, when it next reaches its crash point; resolves once it has. */
  hangAtPoint(): Promise<void>;
  /** SIGCONT. */
  wake(): void;
  /** Resolves once its log has a line since a place in it; see `logLength`. */
  untilLogged(text: string, from?: number): Promise<void>;
  logLength(): number;
  /** SIGKILL; removes its folder. */
  close(): Promise<void>;
}

/** What the log says where a process begins to write the transactions of a key. */
export const writes = 'writing the transactions of a relayer key';

const readyTimeoutMs = 200_000;
/** A takeover takes seconds; a machine may be ten times slower. */
const logTimeoutMs = 150_000;

/** Where a gateway runs, if not here: words before its command, and its IP address. */
export interface Elsewhere {
  prefix: readonly string[];
  host: string;
}

/**
 * Starts a gateway of the world's chain on a database that several share.
 * @param point name of the crash point at which it can be made to hang; '' for none
 */
export async function startStandby(world: GatewayWorld, databaseUrl: string, point: string, elsewhere?: Elsewhere): Promise<StandbyGateway> {
  const place: VouchPlace = { ...(await makePlace()), ...(elsewhere === undefined ? {} : { host: elsewhere.host }) };
  const [first, ...words] = [...(elsewhere?.prefix ?? []), process.execPath, ...crashingProgram, 'serve', '--only', 'gateway'];
  const service = await startService({
    program: first as string,
    arguments: words,
    environment: { ...placeEnvironment(place), ...world.environment, DATABASE_URL: databaseUrl, ...crashEnvironment(point, 1, 'hang') },
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
      await untilLogged(crashMark);
    },
    wake: () => void process.kill(service.processId, 'SIGCONT'),
    logLength: () => service.output().length,
    async close() {
      await service.kill();
      await removePlace(place);
    },
  };
}

/** Budgets that the load of a few signers does not reach. */
async function openBudgets({ host = '127.0.0.1', port, key }: VouchPlace): Promise<void> {
  const gas = Object.fromEntries(['enter', 'exit', 'commission', 'claimer', 'report'].map((kind) => [kind, 1e12]));
  for (const scope of ['signer', 'license', 'total']) {
    const answer = await fetch(`http://${host}:${port}/gateway/budgets/${scope}`, {
      method: 'PUT', headers: { apikey: key, 'content-type': 'application/json' }, body: JSON.stringify({ gas }),
    });
    if (!answer.ok) throw new Error(`the budgets of ${scope} could not be set: ${answer.status} ${await answer.text()}`);
  }
}

/** Resolves when a gateway takes requests. */
export async function untilServed(place: VouchPlace): Promise<void> {
  await untilReady(place, AbortSignal.timeout(readyTimeoutMs));
}

/** Asks a gateway for the record of each accepted message until all have ended. @returns how often each end came */
export async function untilEnded({ host = '127.0.0.1', port }: VouchPlace, ledger: Ledger<Message>): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (const [, { state, effect }] of ledger.entries()) {
    if (state !== 'acknowledged') continue;
    const end = await readEnd(`http://${host}:${port}${effect.record ?? ''}`);
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

async function readEnd(url: string): Promise<string> {
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    const record = answer?.ok === true ? ((await answer.json()) as { status: string; reason: { code: string } | null }) : null;
    if (record !== null && ['confirmed', 'failed', 'expired'].includes(record.status)) {
      return record.reason === null ? record.status : `${record.status}: ${record.reason.code}`;
    }
    await sleep(100);
  }
}
