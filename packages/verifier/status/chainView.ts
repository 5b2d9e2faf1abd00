import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { getBlock, getChainId } from '@vouch/chain/rpc/chainReads';
import type { Hex } from '@vouch/chain/messages/operation';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { fetchNodeDays, type NodeDays } from '../rewards/fetchDays.ts';
import { ServiceContract } from '../rewards/serviceContract.ts';

/** What the chain says of a node now. */
export interface ChainView {
  active: boolean;
  weight: number;
  missed: number;
  /** Smallest units of the reward token. */
  earned: bigint;
  claimed: bigint;
  /** Seconds since 1970, of the chain; null while it never entered. */
  enteredAt: number | null;
  /** Null where the contract does not tell its rules. */
  rules: { missedReportsMax: number } | null;
  /** What the contract says of the node's newest days; null where it tells none. */
  days: NodeDays | null;
  /** Time of the newest block, seconds since 1970. */
  time: number;
}

/** Time limit of one answer; without an answer, the status is shown without the chain. */
const timeoutMs = 3_000;

/** @returns a sentence when the chain does not answer */
export async function viewChain({ chain, contract }: NodeConfiguration, node: Hex, doors: SystemInterfaces): Promise<ChainView | string> {
  const rpc = createRpcClient({ urls: chain.rpcUrls, timeoutMs }, doors);
  try {
    const served = await getChainId(rpc);
    if (served !== BigInt(chain.chainId)) return `The RPC serves chain ${served}, not ${chain.chainId}.`;
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
