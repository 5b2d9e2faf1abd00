import { creditableFrom, dayViews, readContractDay, readMinOnline, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { tryReadView, type NodeRecord } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { fetchDayReward } from './fetchReward.ts';
import { divisions, type DayShare } from './shareOfDay.ts';

/** Days that are looked at, today among them. */
export const daysShown = 8;

/** A day as the contract counts, and what it says of the node. Times are seconds since 1970. */
export interface NodeDay {
  index: number;
  begin: number;
  end: number;
  /** Licenses with which the day is credited to the node; 0: it is not. Null where the contract does not tell. */
  creditedWeight: number | null;
  /** Whether the day is over and earned the node nothing although it was active long enough; null where that is not known. */
  lost: boolean | null;
  /** What a credited day that is not settled brings as it stands now; null for others, and where the contract does not tell. */
  expected: DayShare | null;
}

export interface NodeDays {
  /** Seconds that a node has to be active in a day; null where the contract does not tell. */
  neededSeconds: number | null;
  /** Seconds of today that count so far. */
  activeSeconds: number;
  /** Newest first, never empty: today is the first. */
  days: readonly [NodeDay, ...NodeDay[]];
}

/** What a node is on the chain, as far as its days need it. */
interface NodeOfDays {
  address: Hex;
  record: Pick<NodeRecord, 'active' | 'lastEnterTime' | 'lastConfirmDate' | 'commissionRate'>;
}

/**
 * Asks the contract which of the newest days it credited to a node, and what they bring.
 * @param count how many days, today among them
 * @returns null where the contract tells no day
 * @throws RpcUnavailable, RpcRefused
 */
export async function fetchNodeDays(rpc: RpcClient, service: Hex, node: NodeOfDays, head: Block, count = daysShown, signal?: AbortSignal): Promise<NodeDays | null> {
  const today = await readContractDay(rpc, service, head, signal);
  if (today === null) return null;
  const { record, address } = node;
  const neededSeconds = await readMinOnline(rpc, service, signal);
  const at = signal === undefined ? {} : { signal };
  const indices = Array.from({ length: count }, (_, back) => today.index - back).filter((index) => index >= 0);
  const days: NodeDay[] = [];
  // One after the other: a signal takes ten listeners at once without a warning.
  for (const [place, index] of indices.entries()) {
    const begin = today.begin - place * today.lengthSeconds;
    const creditedWeight = await tryReadView(rpc, dayViews.creditedWeight(service, address, index), at);
    const unsettled = creditedWeight !== null && creditedWeight > 0 && index > record.lastConfirmDate;
    days.push({
      index, begin, end: begin + today.lengthSeconds, creditedWeight,
      lost: place === 0 || creditedWeight === null || neededSeconds === null ? null : creditedWeight === 0 && wasThere(record, { index, begin, lengthSeconds: today.lengthSeconds }, neededSeconds),
      expected: unsettled ? await expectedOf(rpc, service, index, BigInt(creditedWeight), BigInt(record.commissionRate), signal) : null,
    });
  }
  const activeSeconds = record.active ? Math.max(0, head.timestamp - Math.max(today.begin, record.lastEnterTime)) : 0;
  return { neededSeconds, activeSeconds, days: days as [NodeDay, ...NodeDay[]] };
}

/** A node that entered later may have been in the set before, too: then the contract credited the day when it left. */
function wasThere({ active, lastEnterTime }: NodeOfDays['record'], day: ContractDay, neededSeconds: number): boolean {
  return active && creditableFrom(day, lastEnterTime, neededSeconds) < day.begin + day.lengthSeconds;
}

async function expectedOf(rpc: RpcClient, service: Hex, day: number, licenses: bigint, commissionRate: bigint, signal?: AbortSignal): Promise<DayShare | null> {
  const of = await fetchDayReward(rpc, service, day, signal);
  return of === null ? null : divisions[of.division].divide({ reward: of.reward, licensesOfAll: of.licensesOfAll, licenses, commissionRate });
}
