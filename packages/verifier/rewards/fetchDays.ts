import { creditableFrom, dayViews, fetchContractDay, fetchMinOnline, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { tryReadView, type NodeRecord } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { fetchDayReward } from './fetchReward.ts';
import { divisions, type DayShare } from './shareOfDay.ts';

/** Number of days shown, including today. */
export const daysShown = 8;

/** A day of the contract and the node's result in it. Times are seconds since 1970. */
export interface NodeDay {
  index: number;
  begin: number;
  end: number;
  /** Licenses for which the day is credited to the node; 0: not credited; null when the contract does not say. */
  creditedWeight: number | null;
  /** Whether the day ended without credit although the node was active long enough; null when unknown. */
  lost: boolean | null;
  /** Expected reward of a credited, unsettled day; null for other days and when the contract does not say. */
  expected: DayShare | null;
}

export interface NodeDays {
  /** Seconds that a node must be active in a day; null when the contract does not say. */
  neededSeconds: number | null;
  /** Seconds of today that count so far. */
  activeSeconds: number;
  /** Newest first, never empty: today is the first. */
  days: readonly [NodeDay, ...NodeDay[]];
}

/** The on-chain facts of a node that its days depend on. */
interface NodeOfDays {
  address: Hex;
  record: Pick<NodeRecord, 'active' | 'lastEnterTime' | 'lastConfirmDate' | 'commissionRate'>;
}

/**
 * Fetches the newest days of a node from the contract: whether each is credited, and its reward.
 * @param count number of days, including today
 * @returns null when the contract does not expose days
 * @throws RpcUnavailable, RpcRefused
 */
export async function fetchNodeDays(rpc: RpcClient, service: Hex, node: NodeOfDays, head: Block, count = daysShown, signal?: AbortSignal): Promise<NodeDays | null> {
  const today = await fetchContractDay(rpc, service, head, signal);
  if (today === null) return null;
  const { record, address } = node;
  const neededSeconds = await fetchMinOnline(rpc, service, signal);
  const at = signal === undefined ? {} : { signal };
  const indices = Array.from({ length: count }, (_, back) => today.index - back).filter((index) => index >= 0);
  const days: NodeDay[] = [];
  // Sequential: more than ten concurrent listeners on one signal cause a warning.
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

/**
 * Whether the node could have earned the day since its last entry. For a node that left and entered again after the day, the contract
 * credited the day when the node left.
 */
function wasThere({ active, lastEnterTime }: NodeOfDays['record'], day: ContractDay, neededSeconds: number): boolean {
  return active && creditableFrom(day, lastEnterTime, neededSeconds) < day.begin + day.lengthSeconds;
}

async function expectedOf(rpc: RpcClient, service: Hex, day: number, licenses: bigint, commissionRate: bigint, signal?: AbortSignal): Promise<DayShare | null> {
  const of = await fetchDayReward(rpc, service, day, signal);
  return of === null ? null : divisions[of.division].divide({ reward: of.reward, licensesOfAll: of.licensesOfAll, licenses, commissionRate });
}
