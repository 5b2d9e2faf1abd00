import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { Connect } from '@vouch/chain/rpc/endpoint';
import { serviceViews, tryReadView } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { retryRefused } from '@vouch/chain/rpc/retryRefused';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { fetchNodeAtHead, fetchNodeDays, type NodeDays } from '../rewards/fetchDays.ts';
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

/**
 * Reads the chain at its newest block.
 * @param connect opens the HTTP connections of one endpoint; simulations replace this function
 * @returns a sentence when the chain does not answer
 */
export async function viewChain({ chain, contract }: NodeConfiguration, node: Hex, system: SystemInterfaces, connect?: Connect): Promise<ChainView | string> {
  const options = { urls: chain.rpcUrls, timeoutMs, chainId: BigInt(chain.chainId) };
  const rpc = connect === undefined ? createRpcClient(options, system) : createRpcClient(options, system, connect);
  try {
    return await retryRefused(() => readAtHead(rpc, contract.service, node), system.timers);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rpc.close();
  }
}

async function readAtHead(rpc: RpcClient, service: Hex, node: Hex): Promise<ChainView | string> {
  const [seen, rules] = await Promise.all([fetchNodeAtHead(rpc, service, node), new ServiceContract(rpc, service).rules()]);
  const weight = seen === null ? null : await tryReadView(rpc, serviceViews.weight(service, node), { block: seen.head.hash });
  if (seen === null || weight === null) return 'There is no verifier service at contract.addr.';
  const { active, missed, earned, claimed, lastEnterTime } = seen.record;
  const days = await fetchNodeDays(rpc, service, node, seen);
  return { active, weight, missed, earned, claimed, enteredAt: lastEnterTime === 0 ? null : lastEnterTime, rules, days, time: seen.head.timestamp };
}
