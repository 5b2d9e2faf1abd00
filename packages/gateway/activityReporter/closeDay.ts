import { creditableFrom, dayViews, fetchMinOnline, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { serviceViews } from '@vouch/chain/contracts/service/views';
import type { LaneContext } from '../sending/laneContext.ts';
import { forgetBefore, listReportedDays, storePassed } from './activityStore.ts';
import type { Head } from './findDue.ts';
import { listActive } from './listActive.ts';
import { fetchMany } from './fetchMany.ts';

/** Number of days whose rows are kept. */
const daysKept = 31;
const nodesNamed = 20;

/**
 * Compares the previous day with the contract's credits and logs an error for nodes that were active long enough but not credited.
 * Nodes whose last entry was too late for the day's required hours are not judged: if such a node left before, leaving may have
 * credited its day.
 * @param day the day that has begun
 * @throws RpcUnavailable, RpcRefused
 */
export async function closeDay(context: LaneContext, day: ContractDay, head: Head, signal?: AbortSignal): Promise<void> {
  const { database, lane, service, rpc, log } = context;
  const before: ContractDay = { ...day, index: day.index - 1, begin: day.begin - day.lengthSeconds };
  await forgetBefore(database, lane.deployment, day.index - daysKept);
  const minOnline = await fetchMinOnline(rpc, service, signal);
  if (minOnline === null) return;
  const known = await listReportedDays(database, lane.deployment, before.index);
  const credited = new Set(known.filter((each) => each.credited === true).map(({ node }) => node));
  const active = new Set(await listActive(context, new Map(), head.number, signal));
  // A node that was reported in vain can have left since; leaving credits the day.
  const open = [...new Set([...active, ...known.map(({ node }) => node)])].filter((node) => !credited.has(node));
  const records = await fetchMany(context, open.map((node) => serviceViews.node(service, node)), head.number, signal);
  const weights = await fetchMany(context, open.map((node) => dayViews.creditedWeight(service, node, before.index)), head.number, signal);
  const wereThere = open.filter((node, place) => active.has(node) && creditableFrom(before, records[place]?.lastEnterTime ?? Infinity, minOnline) < day.begin);
  const weightOf = new Map(open.map((node, place) => [node, weights[place] ?? null]));
  await storePassed(database, lane.deployment, before.index, true, open.filter((node) => (weightOf.get(node) ?? 0) > 0));
  const lost = await storePassed(database, lane.deployment, before.index, false, wereThere.filter((node) => weightOf.get(node) === 0));
  if (lost.length === 0) return;
  log.error({ day: before.index, nodes: lost.slice(0, nodesNamed), count: lost.length }, 'the contract did not credit a past day to active nodes; they earn nothing for that day');
}
