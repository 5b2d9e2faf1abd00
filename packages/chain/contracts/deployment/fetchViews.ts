import { decodeFunctionResult, encodeFunctionData, type Abi } from 'viem';
import { parseBytes } from '../../rpc/parseResult.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { RpcRefused } from '../../rpc/rpcErrors.ts';
import { artifacts } from './contractList.ts';
import type { ContractName, Contracts } from './contractNames.ts';

/** A view of a contract in the deployment. */
export interface View {
  contract: ContractName;
  name: string;
  args?: readonly unknown[];
}

/**
 * Reads views of a deployment's contracts at one block.
 * @returns answers in the order of the views; undefined if a contract gives no answer or an unreadable one
 * @throws RpcUnavailable
 */
export async function fetchViews(
  rpc: RpcClient, contracts: Contracts, views: readonly View[], block: number, signal?: AbortSignal,
): Promise<unknown[]> {
  const tag = `0x${block.toString(16)}`;
  const calls = views.map(({ contract, name, args = [] }) => ({
    method: 'eth_call', params: [{ to: contracts[contract], data: encodeFunctionData({ abi: artifacts[contract].abi as Abi, functionName: name, args }) }, tag],
  }));
  const outcomes = await rpc.batch(calls, signal);
  return outcomes.map((outcome, at) => {
    if (!outcome.ok) {
      if (outcome.error instanceof RpcRefused) return undefined;
      throw outcome.error;
    }
    const { contract, name } = views[at] as View;
    try {
      return decodeFunctionResult({ abi: artifacts[contract].abi as Abi, functionName: name, data: parseBytes(outcome.result) });
    } catch {
      return undefined;
    }
  });
}
