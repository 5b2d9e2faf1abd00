import { setTimeout as sleep } from 'node:timers/promises';
import { realDoors } from '@vouch/platform/process/doors';
import { seededRandom, type SeededRandom } from '../../../packages/recommender/sample/seededRandom.ts';
import { killLoop, type CrashReport, type CrashSubject } from '../harness/killLoop.ts';
import { createLedger, type Ledger } from '../harness/ledger.ts';
import type { Service } from '../harness/service.ts';
import { killDatabaseFirst, killEverything } from '../harness/victims.ts';
import { placeEnvironment, untilReady } from '../harness/vouchSubjects.ts';
import { crashEnvironment, crashingProgram } from './crashingProgram.ts';
import { armSignal, crashMark, crashPoints } from './crashPoints.ts';
import { openBudgets, readGasCounts, type GasCounts } from './gatewayBudgets.ts';
import { createLoad, type Message } from './gatewayLoad.ts';
import { openWorld, type GatewayWorld } from './gatewayWorld.ts';

/** What is killed: the gateway alone; it and PostgreSQL at once; or PostgreSQL first, while the gateway goes on for a moment. */
type Victims = 'gateway' | 'both' | 'postgres first';

/** One round, for the log that is kept. */
export interface RoundRecord {
  round: number;
  contract: 'isolating' | 'strict';
  seed: number;
  point: string;
  /** At which time the point was reached after the load began. */
  occurrence: number;
  victims: Victims;
  /** false: the point was not reached in time, and it was killed wherever it was. */
  reached: boolean;
  /** From the beginning of the load to the kill. */
  milliseconds: number;
  acknowledged: number;
}

/** How the acknowledged messages ended, at the end of all rounds. */
export interface GatewayCrashReport extends CrashReport {
  ends: Readonly<Record<string, number>>;
  /** Budgets and receipts, when nothing was under way any more. */
  gas: GasCounts;
}

/** What the gateway says of a message. */
interface Told {
  status: string;
  reason: string;
}

/** What became of a message: as its client is told, and as the chain says. */
interface Effect extends Message {
  took: boolean;
  told: string;
  reason: string;
}

const pointTimeoutMs = 8_000;
const endTimeoutMs = 180_000;
const occurrencesMax = 4;

/**
 * Kills a gateway under load, round after round, at the points of its pipeline, and compares what its clients were told with the
 * events of the chain, and the budgets of gas with the receipts. The rows of the gateway are never read.
 */
export async function runGatewayRounds(options: {
  rounds: number; seed: number; isolates: boolean; firstRound: number; onRound(record: RoundRecord): void;
}): Promise<GatewayCrashReport> {
  const world = await openWorld(options.isolates);
  try {
    return await runRounds(world, options);
  } finally {
    await world.close();
  }
}

async function runRounds(world: GatewayWorld, options: Parameters<typeof runGatewayRounds>[0]): Promise<GatewayCrashReport> {
  const { rounds, seed, isolates, firstRound, onRound } = options;
  const random = seededRandom(seed);
  const ledger = createLedger<Message>();
  const load = createLoad(world);
  let current: RoundRecord = chooseRound(firstRound, isolates, seed, random);
  const told = new Map<string, Told>();
  let began = 0;
  let finished = 0;
  let ends: Record<string, number> = {};
  let gas: GasCounts = { reserved: -1, spent: -1, billed: -1 };
  const subject: CrashSubject<Message> = {
    // Read at each start: every round has a point of its own.
    get command() {
      return {
        program: process.execPath,
        arguments: [...crashingProgram, 'serve', '--only', 'gateway'],
        environment: {
          ...placeEnvironment(world.place), ...world.environment,
          ...crashEnvironment(current.point, current.occurrence, current.victims === 'postgres first' ? 'run' : 'stand'),
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
    async readEffects() {
      const last = finished === rounds;
      const effects = await readEffects(world, ledger, told, last);
      if (last) {
        ends = countEnds(effects.map(({ effect }) => effect));
        gas = await readGasCounts(world.place, endTimeoutMs);
      }
      return effects;
    },
    findFault: (_id, effect) => findFault(effect as Effect),
  };
  const report = await killLoop(subject, ledger, {
    rounds, seed, killAfterMs: { from: 0, to: 400 }, startTimeoutMs: 90_000, timers: realDoors.timers,
  });
  return { ...report, ends, gas };
}

/** Every point comes once in as many rounds as there are points; PostgreSQL dies in a third of the rounds. */
function chooseRound(round: number, isolates: boolean, seed: number, random: SeededRandom): RoundRecord {
  const point = crashPoints[(round - 1) % crashPoints.length] as (typeof crashPoints)[number];
  const victims: Victims = round % 3 !== 0 ? 'gateway' : random.below(2) === 0 ? 'both' : 'postgres first';
  return {
    round, contract: isolates ? 'isolating' : 'strict', seed, point: point.name, occurrence: 1 + random.below(occurrencesMax), victims,
    reached: false, milliseconds: 0, acknowledged: 0,
  };
}

async function untilReached(service: Service): Promise<boolean> {
  for (let waited = 0; waited < pointTimeoutMs; waited += 10) {
    if (service.output().includes(crashMark)) return true;
    await sleep(10);
  }
  return false;
}

async function killVictims(service: Service, victims: Victims, random: SeededRandom): Promise<void> {
  if (victims === 'postgres first') return killDatabaseFirst(service, random);
  if (victims === 'both') killEverything(service);
  await service.kill();
}

/**
 * What there is of each message. One that its client was told is accepted is there while it waits, once for each time the chain says
 * that it took effect, and where it failed with a reason.
 * @param told what clients were told so far; ends are asked for once, and at the last all again
 * @param last waits until every accepted message has ended, so that one that never does counts as lost
 */
async function readEffects(
  world: GatewayWorld, ledger: Ledger<Message>, told: Map<string, Told>, last: boolean,
): Promise<{ id: string; effect: Message }[]> {
  const deadline = performance.now() + endTimeoutMs;
  const open = [...ledger.entries()].filter(([id, { state }]) => state === 'acknowledged' && (last || !isEnd(told.get(id)?.status ?? '')));
  const askers = Array.from({ length: 8 }, async () => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [id, { effect }] = next;
      told.set(id, last ? await readEnd(world, effect.record, deadline) : await readRecord(world, effect.record));
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

async function readEnd(world: GatewayWorld, path: string | null, deadline: number): Promise<Told> {
  for (;;) {
    const record = await readRecord(world, path);
    if (isEnd(record.status) || performance.now() > deadline) return record;
    await sleep(200);
  }
}

async function readRecord({ place }: GatewayWorld, path: string | null): Promise<Told> {
  const answer = await fetch(`http://127.0.0.1:${place.port}${path ?? '/gateway/requests/none'}`).catch(() => null);
  if (answer === null) return { status: 'unanswered', reason: '' };
  if (answer.status === 404) return { status: 'absent', reason: '' };
  const record = (await answer.json()) as { status: string; reason: { code: string; message: string } | null };
  return { status: record.status, reason: record.reason === null ? '' : `${record.reason.code}: ${record.reason.message}` };
}

function isEnd(status: string): boolean {
  return status === 'confirmed' || status === 'failed' || status === 'expired';
}

/** A client that was told of a failure must not find the operation on the chain, and must have been told why. */
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
