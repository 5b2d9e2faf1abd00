import { dayViews, readContractDay } from '@vouch/chain/contracts/service/dayViews';
import { tryReadView } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { ServiceContract } from './serviceContract.ts';
import { fetchDailyReward } from './fetchReward.ts';
import { divisions, type DayShare, type Division } from './shareOfDay.ts';

/** What rewards are reckoned from. Amounts in the smallest units of the reward token. */
export interface RewardTerms {
  division: Division;
  licenses: bigint;
  licensesOfAll: bigint;
  /** In 1/10000. */
  commissionRate: bigint;
  dailyReward: bigint;
}

/** What of them is given; null is asked of the contract. */
export type GivenTerms = { [Name in keyof Omit<RewardTerms, 'division'>]: bigint | null };

/** What the contract does not tell and nobody gave. */
export type MissingTerm = keyof GivenTerms;

/** The shares of one credited day and of several. */
export function expectRewards({ division, licenses, licensesOfAll, commissionRate, dailyReward }: RewardTerms, days: bigint): { day: DayShare; all: DayShare } {
  const day = divisions[division].divide({ reward: dailyReward, licensesOfAll, licenses, commissionRate });
  return { day, all: { node: day.node * days, delegators: day.delegators * days, perLicense: day.perLicense * days } };
}

/**
 * Completes what is given with what the contract says of a node and of the last day that is over.
 * @returns the first term that is missing, where the contract does not tell it
 * @throws RpcUnavailable, RpcRefused
 */
export async function fetchTerms(rpc: RpcClient, contract: Hex, node: Hex, head: Block, given: GivenTerms): Promise<RewardTerms | MissingTerm> {
  const service = new ServiceContract(rpc, contract);
  const [today, weight, record] = await Promise.all([readContractDay(rpc, contract, head), service.weight(node), service.node(node)]);
  const told = today === null ? null : await fetchDailyReward(rpc, contract, today.index);
  const licenses = given.licenses ?? (weight === null ? null : BigInt(weight));
  if (licenses === null) return 'licenses';
  const commissionRate = given.commissionRate ?? (record === null ? null : BigInt(record.commissionRate));
  if (commissionRate === null) return 'commissionRate';
  const dailyReward = given.dailyReward ?? told?.reward ?? null;
  if (dailyReward === null) return 'dailyReward';
  const others = given.licensesOfAll === null ? await licensesOfOthers(rpc, contract, node, today?.index ?? null) : null;
  const licensesOfAll = given.licensesOfAll ?? (others === null ? null : others + licenses);
  if (licensesOfAll === null) return 'licensesOfAll';
  return { division: told?.division ?? 'by node', licenses, licensesOfAll, commissionRate, dailyReward };
}

/** Of the last day that is over; of the nodes in the active set, where that day is credited to nobody or not told. */
async function licensesOfOthers(rpc: RpcClient, contract: Hex, node: Hex, today: number | null): Promise<bigint | null> {
  if (today !== null && today > 0) {
    const [all, own] = await Promise.all([tryReadView(rpc, dayViews.weightOfDay(contract, today - 1)), tryReadView(rpc, dayViews.creditedWeight(contract, node, today - 1))]);
    if (all !== null && all > 0 && own !== null) return BigInt(all - own);
  }
  return new ServiceContract(rpc, contract).weightOfOthers(node);
}
