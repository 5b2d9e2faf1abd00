import { dailyActiveData } from '@vouch/chain/contracts/service/actions';
import type { FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { listReportedDays, storeReported, type ReportedDay } from './activityStore.ts';
import { findDue, type DayMemory, type Head } from './findDue.ts';
import { sendWithinBudget } from './sendWithinBudget.ts';
import { settleReports } from './settleReports.ts';

/** Maximum number of nodes in one transaction; one report takes up to 120,000 gas. */
const maxNodes = 100;
const gasOfNode = 130_000n;
const gasFixed = 100_000n;

/** Result of one read of the active set. */
export interface ActivityLook {
  sent: boolean;
  /** Whether a report is pending or remains to be sent. */
  busy: boolean;
  /** Time at which the next node may become due, in seconds since 1970; null if none. */
  nextAt: number | null;
}

/**
 * Settles ended reports, then reports the day of active nodes that reached the required hours.
 * @throws RpcUnavailable, RpcRefused
 */
export async function reportActivity(context: LaneContext, memory: DayMemory, head: Head, own: FundedSlot, signal?: AbortSignal): Promise<ActivityLook> {
  const { database, lane: { deployment }, limits } = context;
  const { index } = memory.day;
  await settleReports(context, signal);
  const known = await listReportedDays(database, deployment, index);
  const most = Math.max(1, Math.min(maxNodes, Math.floor((limits.gas - Number(gasFixed)) / Number(gasOfNode))));
  const { nodes, nextAt } = await findDue(context, memory, known, head, most, signal);
  if (nodes.length === 0) return { sent: false, busy: isUnderWay(known), nextAt };
  const gasLimit = gasFixed + gasOfNode * BigInt(nodes.length);
  const work = { kind: 'activity', calls: nodes.map(dailyActiveData), gasLimit, about: { nodes: nodes.length, date: index } } as const;
  const sent = await sendWithinBudget(context, work, own, (transaction, batchId) => storeReported(transaction, deployment, index, nodes, batchId), signal);
  return { sent, busy: true, nextAt };
}

function isUnderWay(known: readonly ReportedDay[]): boolean {
  return known.some(({ credited }) => credited === null);
}
