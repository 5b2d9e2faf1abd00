import { setTimeout as sleep } from 'node:timers/promises';
import { processesIn, type ProcessMark } from '../harness/processTree.ts';
import type { Service } from '../harness/service.ts';
import { openPointWorld, type Death, type PointWorld } from './pointWorld.ts';
import { pointsToVisit } from './quietPoints.ts';

/** An operation of a running program, during which the program dies. */
export interface PointOperation {
  name: string;
  /** Arguments of `vouch serve`. */
  arguments: readonly string[];
  /** Opens what the program reaches besides PostgreSQL, e.g. a chain. */
  open?(): Promise<Surroundings>;
  /** Matches the points of work that runs beside the operation, e.g. a poll. They are in the listed operation by chance, and the program does not die at them. */
  beside?: RegExp;
  /** Called once, before the first operation. */
  prepare?(world: PointWorld): Promise<void>;
  /** Called before each operation, while the points are not counted. */
  ready?(world: PointWorld, id: string): Promise<void>;
  /** Carries the operation out and resolves when it has ended. Rejects or stays open if the program dies. */
  perform(world: PointWorld, id: string): Promise<void>;
  /** Called after the restart: checks what the dead program left, finishes or repeats the operation, and checks the result. Returns faults. */
  recover(world: PointWorld, id: string): Promise<string[]>;
  /** Called after the last operation. Returns faults. */
  finish?(world: PointWorld, ids: readonly string[]): Promise<string[]>;
}

/** What a program reaches besides PostgreSQL. */
export interface Surroundings {
  /** Environment variables of the program. */
  environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** How the program dies during an operation. */
export interface CrashPlan {
  /** The program of another build, which dies instead of the built one. */
  program?: string;
  /** Matches the points at which the program dies; without it, at all. */
  near?: RegExp;
  /** How it dies. Default: `kill`. */
  death?: Death;
  /** Ends after the first point with a fault; what the harness throws counts as one. */
  untilFault?: boolean;
}

export interface PointsReport {
  points: number;
  kills: number;
  /** Points that the program did not reach in three attempts. */
  unreached: string[];
  /** Descriptions with the point. */
  faults: string[];
}

const attempts = 3;
/** Time for statements that the program sends after its answer. */
const lateMs = 1_500;
/** Time in which children must end that have no work any more; those of a dead program get a signal at once, and are slow to end on a busy machine. */
const orphanMs = 10_000;
/** Time for the points that follow an answer, in the listed operation. */
export const settleMs = 300;
/** Characters of a point that are printed. */
const shownCharacters = 160;

/**
 * Lists the points of an undisturbed operation. Then the program dies once at each point, is started again, and the operation's promises are checked.
 */
export async function crashAtPoints(operation: PointOperation, print: (line: string) => void, plan: CrashPlan = {}): Promise<PointsReport> {
  return withWorld(operation, plan, (world) => crashInWorld(world, operation, print, plan));
}

/** Opens what an operation needs, and closes it after the work. */
export async function withWorld<Result>(operation: PointOperation, plan: CrashPlan, work: (world: PointWorld) => Promise<Result>): Promise<Result> {
  const surroundings = await operation.open?.();
  try {
    const world = await openPointWorld(operation.arguments, { ...plan, environment: surroundings?.environment ?? {} });
    try {
      return await work(world);
    } finally {
      await world.close();
    }
  } finally {
    await surroundings?.close();
  }
}

async function crashInWorld(world: PointWorld, operation: PointOperation, print: (line: string) => void, plan: CrashPlan): Promise<PointsReport> {
  let service: Service | undefined;
  try {
    const points = chooseNear(await listPoints(world, operation, plan), plan);
    const ids: string[] = ['first'];
    service = await world.start({ kill: points[0] });
    const report = await killAtEach(points, print, plan, async (id, next) => {
      ids.push(id);
      const died = await dieAt(world, operation, service as Service, id);
      await service?.kill();
      const orphans = await findLiving(world);
      service = await world.start({ kill: next(died) });
      return { died, faults: [...orphans, ...await findDamaged(world), ...await operation.recover(world, id)] };
    });
    return await concludeReport(report, world, operation, ids, plan);
  } finally {
    await service?.kill();
  }
}

/** Adds the faults that show after all points. */
export async function concludeReport(report: PointsReport, world: PointWorld, operation: PointOperation, ids: readonly string[], plan: CrashPlan): Promise<PointsReport> {
  if (plan.untilFault === true && report.faults.length > 0) return report;
  for (const fault of await operation.finish?.(world, ids) ?? []) report.faults.push(`after all points: ${fault}`);
  const strays = await world.countStrayBlobs();
  if (strays.unnamed + strays.missing > 0) report.faults.push(`after all points: ${JSON.stringify(strays)} blobs`);
  return report;
}

export async function findDamaged(world: PointWorld): Promise<string[]> {
  return (await world.listDamagedBlobs()).map((name) => `${name} is named, and missing or damaged`);
}

/**
 * Calls `attempt` until the program has died at each point, for each point at most three times.
 * @param attempt lets the program die. `next` returns the point of the following attempt, from whether the program died in this one.
 */
export async function killAtEach(
  points: readonly string[], print: (line: string) => void, { untilFault = false }: CrashPlan,
  attempt: (id: string, next: (died: boolean) => string | undefined, point: string) => Promise<{ died: boolean; faults: readonly string[] }>,
): Promise<PointsReport> {
  const report: PointsReport = { points: points.length, kills: 0, unreached: [], faults: [] };
  for (const [at, point] of points.entries()) {
    print(`${at + 1} of ${points.length}: ${point.slice(0, shownCharacters)}`);
    let died = false;
    for (let times = 1; times <= attempts && !died; times++) {
      const outcome = await attempt(`${at}-${times}`, (dead) => (dead || times === attempts ? points[at + 1] : point), point).catch((error: unknown) => {
        if (untilFault) return { died: true, faults: [(error as Error).message] };
        throw error;
      });
      died = outcome.died;
      report.faults.push(...outcome.faults.map((fault) => `${point.slice(0, shownCharacters)}: ${fault}`));
      for (const fault of outcome.faults) print(fault);
    }
    if (died) report.kills += 1;
    else report.unreached.push(point);
    if (untilFault && report.faults.length > 0) break;
  }
  return report;
}

/** Returns the points of a plan. @throws Error if there are none */
export function chooseNear(points: readonly string[], { near }: CrashPlan): readonly string[] {
  const chosen = near === undefined ? points : points.filter((point) => near.test(point));
  if (chosen.length === 0) throw new Error(`${near} matches none of the points:\n${points.join('\n')}`);
  return chosen;
}

async function listPoints(world: PointWorld, operation: PointOperation, { death }: CrashPlan): Promise<string[]> {
  const first = await world.start();
  try {
    await operation.prepare?.(world);
  } finally {
    await first.kill();
  }
  const second = await world.start({ list: true });
  try {
    await operation.ready?.(world, 'first');
    await world.arm(second);
    await operation.perform(world, 'first');
    await sleep(settleMs);
    return pointsToVisit(await world.listPoints(), operation.beside, death);
  } finally {
    await second.kill();
  }
}

/** Returns the processes of the program that do not end, without the `expected` ones. */
export async function findLiving({ place }: PointWorld, expected: (mark: ProcessMark) => boolean = () => false): Promise<string[]> {
  const deadline = performance.now() + orphanMs;
  for (;;) {
    const living = processesIn(place.folder).filter((mark) => !expected(mark));
    if (living.length === 0 || performance.now() > deadline) return living.map(({ command }) => `the process lives on: ${command}`);
    await sleep(20);
  }
}

/** @returns whether the program died during the operation or soon after it */
async function dieAt(world: PointWorld, operation: PointOperation, service: Service, id: string): Promise<boolean> {
  await operation.ready?.(world, id);
  await world.arm(service);
  const done = operation.perform(world, id).catch(() => undefined).then(() => sleep(lateMs, false));
  return await Promise.race([service.ended.then(() => true), done]);
}
