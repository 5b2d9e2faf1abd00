import { dayViews } from '@vouch/chain/contracts/service/dayViews';
import { tryReadView } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Division } from './shareOfDay.ts';

/** The unsettled part of a day's reward, which the credited nodes share. */
interface DayReward {
  division: Division;
  /** Smallest units of the reward token. */
  reward: bigint;
  licensesOfAll: bigint;
}

/** Fetches the unsettled reward of a day at a block, given by its hash; null when the contract does not expose it. @throws RpcUnavailable, RpcRefused */
export async function fetchDayReward(rpc: RpcClient, service: Hex, day: number, block: Hex, signal?: AbortSignal): Promise<DayReward | null> {
  const at = { block, ...(signal === undefined ? {} : { signal }) };
  // Settling removes a node's reward and licenses together, so that the shares of the other nodes do not change.
  const own = await tryReadView(rpc, dayViews.unsettled(service, day), at);
  if (own !== null) return { division: 'by node', reward: own.pot, licensesOfAll: own.weight };
  const vault = await tryReadView(rpc, dayViews.vault(service), at);
  if (vault === null) return null;
  const [reward, weight] = await Promise.all([tryReadView(rpc, dayViews.rewardOfDayUpstream(vault, day), at), tryReadView(rpc, dayViews.weightOfDay(service, day), at)]);
  return reward === null || weight === null ? null : { division: 'by license', reward, licensesOfAll: BigInt(weight) };
}

/** Fetches the reward of a future day and how the contract divides it; null when the contract does not expose them. @throws RpcUnavailable, RpcRefused */
export async function fetchDailyReward(rpc: RpcClient, service: Hex, today: number, signal?: AbortSignal): Promise<{ division: Division; reward: bigint } | null> {
  const at = signal === undefined ? {} : { signal };
  const settings = await tryReadView(rpc, dayViews.settings(service), at);
  const own = settings === null ? null : await tryReadView(rpc, dayViews.dailyReward(settings), at);
  if (own !== null) return { division: 'by node', reward: own };
  const vault = await tryReadView(rpc, dayViews.vault(service), at);
  const reward = vault === null ? null : await tryReadView(rpc, dayViews.rewardOfDayUpstream(vault, today), at);
  return reward === null ? null : { division: 'by license', reward };
}
