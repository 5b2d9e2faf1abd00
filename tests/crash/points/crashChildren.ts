import { setTimeout as sleep } from 'node:timers/promises';
import { makeChildPlan } from '../harness/childPlan.ts';
import { killAll, processesIn, untilGone } from '../harness/processTree.ts';
import {
  chooseNear, concludeReport, findDamaged, findLiving, killAtEach, settleMs, withWorld, type CrashPlan, type PointOperation, type PointsReport,
} from './crashAtPoints.ts';
import type { PointWorld } from './pointWorld.ts';
import { laterRepetitions, pointsToVisit } from './quietPoints.ts';

/** A child that converts uploaded files and waits for the next one; see `Converters`. */
const waiting = 'convertFile.child';

/**
 * Lists the points of all child processes of an undisturbed operation. Then one child dies at each point, while the program lives: the program must end the
 * operation as without the death, in the same process, and leave nothing of the dead child.
 */
export async function crashChildrenAtPoints(operation: PointOperation, print: (line: string) => void, plan: CrashPlan = {}): Promise<PointsReport> {
  return withWorld(operation, plan, (world) => crashInWorld(world, operation, print, plan));
}

async function crashInWorld(world: PointWorld, operation: PointOperation, print: (line: string) => void, plan: CrashPlan): Promise<PointsReport> {
  const children = makeChildPlan(world.place.folder);
  await children.begin();
  const service = await world.start({ plan: children.folder });
  const isServer = ({ processId }: { processId: number }): boolean => processId === service.processId;
  const ids: string[] = [];

  /** @returns faults */
  const perform = async (id: string, kill?: string): Promise<string[]> => {
    ids.push(id);
    await operation.ready?.(world, id);
    // The points of a process count from its start.
    const left = processesIn(world.place.folder).filter((mark) => !isServer(mark));
    killAll(left);
    await untilGone(left);
    await children.begin(kill);
    return operation.perform(world, id).then(() => [], (error: Error) => [error.message]);
  };

  try {
    await operation.prepare?.(world);
    const disturbed = await perform('first');
    if (disturbed.length > 0) throw new Error(disturbed.join());
    await sleep(settleMs);
    const points = chooseNear(pointsToVisit(await children.listPoints(), laterRepetitions), plan);
    const report = await killAtEach(points, print, plan, async (id, _next, point) => {
      const faults = await perform(id, point);
      const died = await children.hasDied();
      faults.push(...await operation.recover(world, id), ...await findUnended(world));
      faults.push(...await findLiving(world, (mark) => isServer(mark) || mark.command.includes(waiting)), ...await findDamaged(world));
      return { died, faults };
    });
    return await concludeReport(report, world, operation, ids, plan);
  } finally {
    await service.kill();
  }
}

/** Returns the jobs that have not ended, or hold a lease. */
async function findUnended({ database }: PointWorld): Promise<string[]> {
  const { rows } = await database.query<{ kind: string; status: string }>(
    `SELECT kind, status FROM jobs WHERE status IN ('queued', 'running') OR fence IS NOT NULL OR lease_until IS NOT NULL`);
  return rows.map(({ kind, status }) => `a job ${kind} is ${status} or holds a lease`);
}
