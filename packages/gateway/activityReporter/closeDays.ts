import { creditableFrom, dayViews, fetchMinOnline, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { LaneContext } from '../sending/laneContext.ts';
import { findNewestDay, forgetBefore, listReportedDays, storePassed } from './activityStore.ts';
import type { Head } from './findDue.ts';
import { listActive } from './listActive.ts';
import { fetchMany } from './fetchMany.ts';

/** Number of days whose rows are kept. */
const daysKept = 31;
const nodesNamed = 20;

/**
 * Compares the days since the newest stored one with the contract's credits, and logs an error for nodes that were active long enough but not
 * credited. These are several days if the gateway did not run; without a stored day, only the previous one.
 * Nodes whose last entry was too late for a day's required hours are not judged: if such a node left before, leaving may have credited its day.
 * @param day the day that has begun; a block of it is final
 * @throws RpcUnavailable, RpcRefused
 */
export async function closeDays(context: LaneContext, day: ContractDay, head: Head, signal?: AbortSignal): Promise<void> {
  const { database, lane, service, rpc } = context;
  await forgetBefore(database, lane.deployment, day.index - daysKept);
  const minOnline = await fetchMinOnline(rpc, service, signal);
  if (minOnline === null) return;
  const active = await listActive(context, new Map(), head.number, signal);
  const records = await fetchMany(context, active.map((node) => serviceViews.node(service, node)), head.number, signal);
  const enteredAt = new Map(active.map((node, place) => [node, records[place]?.lastEnterTime ?? Infinity]));
  for (let index = await firstOpen(context, day.index); index < day.index; index += 1) {
    const begin = day.begin - (day.index - index) * day.lengthSeconds;
    await closeDay(context, { ...day, index, begin }, { enteredAt, minOnline }, head, signal);
  }
}

/** The oldest day that may not be judged yet. */
async function firstOpen({ database, lane }: LaneContext, today: number): Promise<number> {
  // A chain that restarted numbers its days from the start again. The day before the newest one may not be compared yet: results of a day can be
  // stored before a block of the day is final.
  const newest = await findNewestDay(database, lane.deployment, today);
  return newest === null ? today - 1 : Math.max(newest - 1, today - daysKept);
}

/** The nodes of the active set. */
interface ActiveNodes {
  /** Time of each node's last entry, seconds since 1970. */
  enteredAt: ReadonlyMap<Hex, number>;
  minOnline: number;
}

async function closeDay(context: LaneContext, day: ContractDay, { enteredAt, minOnline }: ActiveNodes, head: Head, signal?: AbortSignal): Promise<void> {
  const { database, lane, service, log } = context;
  const known = await listReportedDays(database, lane.deployment, day.index);
  const credited = new Set(known.filter((each) => each.credited === true).map(({ node }) => node));
  // A node that was reported in vain can have left since; leaving credits the day.
  const open = [...new Set([...enteredAt.keys(), ...known.map(({ node }) => node)])].filter((node) => !credited.has(node));
  const weights = await fetchMany(context, open.map((node) => dayViews.creditedWeight(service, node, day.index)), head.number, signal);
  const weightOf = new Map(open.map((node, place) => [node, weights[place] ?? null]));
  const wereThere = open.filter((node) => creditableFrom(day, enteredAt.get(node) ?? Infinity, minOnline) < day.begin + day.lengthSeconds);
  await storePassed(database, lane.deployment, day.index, true, open.filter((node) => (weightOf.get(node) ?? 0) > 0));
  const lost = await storePassed(database, lane.deployment, day.index, false, wereThere.filter((node) => weightOf.get(node) === 0));
  if (lost.length === 0) return;
  log.error({ day: day.index, nodes: lost.slice(0, nodesNamed), count: lost.length }, 'the contract did not credit a past day to active nodes; they earn nothing for that day');
}
