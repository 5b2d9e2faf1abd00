import type { Hex } from '@vouch/chain/messages/operation';
import { retryRefused } from '@vouch/chain/rpc/retryRefused';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { fetchNodeAtHead, fetchNodeDays } from '../rewards/fetchDays.ts';
import { isLate } from '../rewards/watchDays.ts';
import type { ChainFacts } from './chainFacts.ts';
import { found, ok, type NodeFinding } from './findings.ts';

/** Checks which of the last days the contract credited to the node. */
export async function examineDays({ rpc }: ChainFacts, address: Hex, { contract, sending }: NodeConfiguration, timers: SystemInterfaces['timers']): Promise<NodeFinding[]> {
  const read = await retryRefused(async () => {
    const seen = await fetchNodeAtHead(rpc, contract.service, address);
    return seen?.record.active === true ? { now: seen.head.timestamp, days: await fetchNodeDays(rpc, contract.service, address, seen) } : null;
  }, timers);
  if (read === null) return [];
  const { now, days } = read;
  if (days === null) return [ok('node', 'the contract does not return its days')];
  const [today, ...before] = days.days;
  if (today.creditedWeight === null) return [ok('node', 'the contract does not return which days it credits')];
  const lost = before.filter((day) => day.lost === true).map(({ index }) => index);
  const credited = days.days.filter(({ creditedWeight }) => (creditedWeight ?? 0) > 0).length;
  const whom = sending.through === 'gateway' ? 'Ask the operator of the gateway whether VOUCH_KEEPER is on and the relayer key has enough ether; or' : 'Check the balance of the node\'s key and the log of the node; or';
  return [
    ...(lost.length === 0 ? [] : [found('node', 'day-lost', `the contract did not credit ${lost.length === 1 ? `day ${lost[0]}` : `the days ${lost.join(', ')}`} although the node was active long enough`, `Past days are lost. ${whom} report days yourself with nodeReportDailyActive, which any account can call.`)]),
    ...(isLate(today, days, now) ? [found('node', 'day-late', `the node was active long enough on day ${today.index}, but the contract has not credited the day, which ends at ${new Date(today.end * 1_000).toISOString()}`, `${whom} report the day with nodeReportDailyActive before it ends.`)] : []),
    ok('node', `the contract credited ${credited} of the newest ${days.days.length} days`),
  ];
}
