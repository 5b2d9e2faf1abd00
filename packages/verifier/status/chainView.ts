import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { Hex } from '@vouch/chain/messages/operation';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { fetchNodeDays, type NodeDays } from '../rewards/fetchDays.ts';
import { ServiceContract } from '../rewards/serviceContract.ts';

/** Current on-chain state of a node. */
export interface ChainView {
  active: boolean;
  weight: number;
  missed: number;
  /** Amounts in the smallest unit of the reward token. */
  earned: bigint;
  claimed: bigint;
  /** Block time of the last entry, seconds since 1970; null if the node never entered. */
  enteredAt: number | null;
  /** Null if the contract does not publish its rules. */
  rules: { missedReportsMax: number } | null;
  /** The node's newest days; null if the contract has no view of days. */
  days: NodeDays | null;
  /** Timestamp of the newest block, seconds since 1970. */
  time: number;
}

/** Time limit of one answer; without an answer, the status is shown without the chain. */
const timeoutMs = 3_000;

/** @returns a sentence when the chain does not answer */
export async function viewChain({ chain, contract }: NodeConfiguration, node: Hex, system: SystemInterfaces): Promise<ChainView | string> {
  const rpc = createRpcClient({ urls: chain.rpcUrls, timeoutMs, chainId: BigInt(chain.chainId) }, system);
  try {
    const service = new ServiceContract(rpc, contract.service);
    const [head, record, weight, rules] = await Promise.all([getBlock(rpc, 'latest'), service.node(node), service.weight(node), service.rules()]);
    if (head === null || record === null || weight === null) return 'There is no verifier service at contract.addr.';
    const days = await fetchNodeDays(rpc, contract.service, { address: node, record }, head);
    return {
      active: record.active, weight, missed: record.missed, earned: record.earned, claimed: record.claimed,
      enteredAt: record.lastEnterTime === 0 ? null : record.lastEnterTime, rules, days, time: head.timestamp,
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rpc.close();
  }
}
