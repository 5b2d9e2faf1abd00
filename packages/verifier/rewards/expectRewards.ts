import { dayViews, fetchContractDay } from '@vouch/chain/contracts/service/dayViews';
import { tryReadView } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { ServiceContract } from './serviceContract.ts';
import { fetchDailyReward } from './fetchReward.ts';
import { divisions, type DayShare, type Division } from './shareOfDay.ts';

/** Inputs of the reward calculation. Amounts are in the smallest units of the reward token. */
export interface RewardTerms {
  division: Division;
  licenses: bigint;
  licensesOfAll: bigint;
  /** In 1/10000. */
  commissionRate: bigint;
  dailyReward: bigint;
}

/** Inputs given by the user; null inputs are read from the contract. */
export type GivenTerms = { [Name in keyof Omit<RewardTerms, 'division'>]: bigint | null };

/** An input that neither the user nor the contract gives. */
export type MissingTerm = keyof GivenTerms;

/** The shares of one credited day and of several days. */
export function expectRewards({ division, licenses, licensesOfAll, commissionRate, dailyReward }: RewardTerms, days: bigint): { day: DayShare; all: DayShare } {
  const day = divisions[division].divide({ reward: dailyReward, licensesOfAll, licenses, commissionRate });
  return { day, all: { node: day.node * days, delegators: day.delegators * days, perLicense: day.perLicense * days } };
}

/**
 * Completes the given inputs from the contract's data of a node and of the last complete day.
 * @returns the first missing input when the contract does not give it
 * @throws RpcUnavailable, RpcRefused
 */
export async function fetchTerms(rpc: RpcClient, contract: Hex, node: Hex, head: Block, given: GivenTerms): Promise<RewardTerms | MissingTerm> {
  const service = new ServiceContract(rpc, contract);
  const [today, weight, record] = await Promise.all([fetchContractDay(rpc, contract, head), service.weight(node), service.node(node)]);
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

/** Licenses of the last complete day; licenses of the active set when that day was credited to no node or is unknown. */
async function licensesOfOthers(rpc: RpcClient, contract: Hex, node: Hex, today: number | null): Promise<bigint | null> {
  if (today !== null && today > 0) {
    const [all, own] = await Promise.all([tryReadView(rpc, dayViews.weightOfDay(contract, today - 1)), tryReadView(rpc, dayViews.creditedWeight(contract, node, today - 1))]);
    if (all !== null && all > 0 && own !== null) return BigInt(all - own);
  }
  return new ServiceContract(rpc, contract).weightOfOthers(node);
}
