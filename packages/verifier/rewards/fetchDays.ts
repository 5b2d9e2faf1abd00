import { creditableFrom, dayViews, fetchContractDay, fetchMinOnline, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { serviceViews, tryReadView, type NodeRecord } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, type Block } from '@vouch/chain/rpc/chainReads';
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

/** The newest block with the contract's record of a node at this block. */
export interface NodeAtHead {
  head: Block;
  record: NodeRecord;
}

/**
 * Fetches the newest days of a node from the contract: whether each is credited, and its reward. All is read at one block, given by its hash: an
 * endpoint that is behind, or on another branch, does not have the credits of this block.
 * @param count number of days, including today
 * @returns null when the contract does not expose days
 * @throws RpcUnavailable, RpcRefused
 */
export async function fetchNodeDays(rpc: RpcClient, service: Hex, address: Hex, { head, record }: NodeAtHead, count = daysShown, signal?: AbortSignal): Promise<NodeDays | null> {
  const today = await fetchContractDay(rpc, service, head, signal);
  if (today === null) return null;
  const neededSeconds = await fetchMinOnline(rpc, service, signal, head.hash);
  const at = { block: head.hash, ...(signal === undefined ? {} : { signal }) };
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
      expected: unsettled ? await expectedOf({ rpc, service, block: head.hash, signal }, index, BigInt(creditedWeight), BigInt(record.commissionRate)) : null,
    });
  }
  const activeSeconds = record.active ? Math.max(0, head.timestamp - Math.max(today.begin, record.lastEnterTime)) : 0;
  return { neededSeconds, activeSeconds, days: days as [NodeDay, ...NodeDay[]] };
}

/** Fetches the newest block, and the node's record at this block; null if the contract has no such record. @throws RpcUnavailable, RpcRefused */
export async function fetchNodeAtHead(rpc: RpcClient, service: Hex, address: Hex, signal?: AbortSignal): Promise<NodeAtHead | null> {
  const head = await getBlock(rpc, 'latest', signal);
  const record = head === null ? null : await tryReadView(rpc, serviceViews.node(service, address), { block: head.hash, ...(signal === undefined ? {} : { signal }) });
  return head === null || record === null ? null : { head, record };
}

/**
 * Whether the node could have earned the day since its last entry. For a node that left and entered again after the day, the contract
 * credited the day when the node left.
 */
function wasThere({ active, lastEnterTime }: NodeRecord, day: ContractDay, neededSeconds: number): boolean {
  return active && creditableFrom(day, lastEnterTime, neededSeconds) < day.begin + day.lengthSeconds;
}

interface Source {
  rpc: RpcClient;
  service: Hex;
  block: Hex;
  signal: AbortSignal | undefined;
}

async function expectedOf({ rpc, service, block, signal }: Source, day: number, licenses: bigint, commissionRate: bigint): Promise<DayShare | null> {
  const of = await fetchDayReward(rpc, service, day, block, signal);
  return of === null ? null : divisions[of.division].divide({ reward: of.reward, licensesOfAll: of.licensesOfAll, licenses, commissionRate });
}
