import { setTimeout as sleep } from 'node:timers/promises';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { seededRandom, type SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { killLoop, type CrashReport, type CrashSubject } from '../harness/killLoop.ts';
import { createLedger, type Ledger } from '../harness/ledger.ts';
import { armSignal, pointEnvironment, pointProgram, reachedMark } from '../harness/pointProgram.ts';
import type { Service } from '../harness/service.ts';
import { killDatabaseFirst, killEverything } from '../harness/victims.ts';
import { placeEnvironment, untilReady } from '../harness/vouchSubjects.ts';
import { crashPoints, findCrashPoint } from './crashPoints.ts';
import { openBudgets, fetchGasCounts, type GasCounts } from './gatewayBudgets.ts';
import { createLoad, type Message } from './gatewayLoad.ts';
import { openWorld, type GatewayWorld } from './gatewayWorld.ts';
import { awaitEnd, fetchRecord, isEnd, type Told } from './requestRecords.ts';

/**
 * Processes to kill: only the gateway; gateway and PostgreSQL at once; or PostgreSQL first, while the gateway runs a little
 * longer.
 */
type Victims = 'gateway' | 'both' | 'postgres first';

/** One round, as stored in the log file. */
export interface RoundRecord {
  round: number;
  contract: 'isolating' | 'reverting';
  seed: number;
  point: string;
  /** Number of the occurrence, after the start of the load, at which the gateway stops at the point. */
  occurrence: number;
  victims: Victims;
  /** False if the point was not reached within two minutes; the gateway was then killed at an arbitrary point. */
  reached: boolean;
  /** Milliseconds from the start of the load to the kill. */
  milliseconds: number;
  acknowledged: number;
}

/** Numbers of acknowledged messages by their final status, after all rounds. */
export interface GatewayCrashReport extends CrashReport {
  ends: Readonly<Record<string, number>>;
  /** Budgets and receipts after all messages have ended. */
  gas: GasCounts;
}

/** Outcome of a message: as reported to its client, and according to the chain. */
interface Effect extends Message {
  took: boolean;
  told: string;
  reason: string;
}

/** Only ends a round whose point is never reached. On a busy machine, a point is reached after a minute of load. */
const pointTimeoutMs = 120_000;
const endTimeoutMs = 180_000;
const occurrencesMax = 4;

/**
 * Kills a gateway under load in each round, at the points of its pipeline. Then compares the responses to clients with the events
 * of the chain, and the gas budgets with the receipts. Never reads the database rows of the gateway.
 */
export async function runGatewayRounds(options: {
  rounds: number; seed: number; isolates: boolean; firstRound: number; onRound(record: RoundRecord): void;
  /** See `createLoad`. */
  pauseMsMax?: number;
}): Promise<GatewayCrashReport> {
  const world = await openWorld(options.isolates);
  try {
    return await runRounds(world, options);
  } finally {
    await world.close();
  }
}

async function runRounds(world: GatewayWorld, options: Parameters<typeof runGatewayRounds>[0]): Promise<GatewayCrashReport> {
  const { rounds, seed, isolates, firstRound, onRound, pauseMsMax } = options;
  const random = seededRandom(seed);
  const ledger = createLedger<Message>();
  const load = createLoad(world, pauseMsMax);
  let current: RoundRecord = chooseRound(firstRound, isolates, seed, random);
  const told = new Map<string, Told>();
  let began = 0;
  let finished = 0;
  let ends: Record<string, number> = {};
  let gas: GasCounts = { reserved: -1, spent: -1, billed: -1 };
  const subject: CrashSubject<Message> = {
    // A getter, because every round configures a different crash point.
    get command() {
      return {
        program: process.execPath,
        arguments: [...pointProgram(), 'serve', '--only', 'gateway'],
        environment: {
          ...placeEnvironment(world.place), ...world.environment,
          ...pointEnvironment({
            stop: { where: findCrashPoint(current.point).where, count: current.occurrence, mode: current.victims === 'postgres first' ? 'run' : 'stand' },
          }),
        },
      };
    },
    async untilReady(signal) {
      await untilReady(world.place, signal);
      if (finished === 0 && !signal.aborted) await openBudgets(world.place);
    },
    async drive(driven, chance, signal) {
      began = performance.now();
      await load.drive(driven, chance, signal);
    },
    async kill(service) {
      process.kill(service.processId, armSignal);
      current.reached = await untilReached(service);
      await killVictims(service, current.victims, random);
      current.milliseconds = Math.round(performance.now() - began);
      finished += 1;
      current.acknowledged = [...ledger.entries()].filter(([, { state }]) => state === 'acknowledged').length;
      onRound(current);
      current = chooseRound(firstRound + finished, isolates, seed, random);
    },
    afterRestart: () => load.repeatOpen(ledger),
    async fetchEffects() {
      const last = finished === rounds;
      const effects = await fetchEffects(world, ledger, told, last);
      if (last) {
        ends = countEnds(effects.map(({ effect }) => effect));
        gas = await fetchGasCounts(world.place, endTimeoutMs);
      }
      return effects;
    },
    findFault: (_id, effect) => findFault(effect as Effect),
  };
  const report = await killLoop(subject, ledger, {
    rounds, seed, killAfterMs: { from: 0, to: 400 }, timers: systemInterfaces.timers,
  });
  return { ...report, ends, gas };
}

/** Cycles through the crash points, one per round. PostgreSQL dies in a third of the rounds. */
function chooseRound(round: number, isolates: boolean, seed: number, random: SeededRandom): RoundRecord {
  const point = crashPoints[(round - 1) % crashPoints.length] as (typeof crashPoints)[number];
  const victims: Victims = round % 3 !== 0 ? 'gateway' : random.below(2) === 0 ? 'both' : 'postgres first';
  return {
    round, contract: isolates ? 'isolating' : 'reverting', seed, point: point.name, occurrence: 1 + random.below(occurrencesMax), victims,
    reached: false, milliseconds: 0, acknowledged: 0,
  };
}

async function untilReached(service: Service): Promise<boolean> {
  const deadline = AbortSignal.timeout(pointTimeoutMs);
  while (!service.output().includes(reachedMark)) {
    if (deadline.aborted) return false;
    await sleep(10);
  }
  return true;
}

async function killVictims(service: Service, victims: Victims, random: SeededRandom): Promise<void> {
  if (victims === 'postgres first') return killDatabaseFirst(service, random);
  if (victims === 'both') killEverything(service);
  await service.kill();
}

/**
 * Lists the effects of each message: one per time the message took effect on the chain. An accepted message without an effect is
 * also listed, while it is pending or if it has failed with a reason.
 * @param told last known statuses; ended messages are not queried again, except when `last` is true
 * @param last waits until every accepted message has ended, so that a message that never ends counts as lost
 */
async function fetchEffects(
  world: GatewayWorld, ledger: Ledger<Message>, told: Map<string, Told>, last: boolean,
): Promise<{ id: string; effect: Message }[]> {
  const deadline = performance.now() + endTimeoutMs;
  const open = [...ledger.entries()].filter(([id, { state }]) => state === 'acknowledged' && (last || !isEnd(told.get(id)?.status ?? '')));
  const askers = Array.from({ length: 8 }, async () => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [id, { effect }] = next;
      told.set(id, last ? await awaitEnd(world.place, effect.record, deadline) : await fetchRecord(world.place, effect.record));
    }
  });
  await Promise.all(askers);
  const counts = await world.countEffects();
  const effects: { id: string; effect: Message }[] = [];
  for (const [id, { effect }] of ledger.entries()) {
    const { status, reason } = told.get(id) ?? { status: 'untold', reason: '' };
    const took = counts.get(effect.key) ?? 0;
    const whole: Effect = { ...effect, took: took > 0, told: status, reason };
    for (let time = 0; time < took; time += 1) effects.push({ id, effect: whole });
    const waits = !isEnd(status) && status !== 'absent' && status !== 'untold' && !last;
    if (took === 0 && (waits || status === 'failed' || status === 'expired' || reason.startsWith('unchanged'))) effects.push({ id, effect: whole });
  }
  return effects;
}

/**
 * Checks a message reported as failed or expired: the operation must not be on the chain, and the report must contain a reason.
 */
function findFault({ took, told, reason }: Effect): string | null {
  if (told !== 'failed' && told !== 'expired') return null;
  if (took) return `its client was told that it ${told} (${reason}), and it took effect`;
  return reason.length > 20 ? null : `it ${told} without a reason`;
}

function countEnds(effects: readonly Message[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { told, reason } of effects as readonly Effect[]) {
    const name = told === 'confirmed' ? told : `${told} ${reason.split(':')[0] ?? ''}`.trim();
    ends[name] = (ends[name] ?? 0) + 1;
  }
  return ends;
}
