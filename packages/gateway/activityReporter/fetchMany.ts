import { multicall3Abi } from '@vouch/chain/contracts/abi/multicall3';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { callAt, type View } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { parseBytes } from '@vouch/chain/rpc/parseResult';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import type { LaneContext } from '../sending/laneContext.ts';

/** Views per call: one read of a node takes about 15,000 gas, and RPC nodes allow at least 25 million per call. */
const viewsPerCall = 200;

/**
 * Reads many views of the service at one block with few calls.
 * @returns values in the order of the views; null if a view reverts or its result cannot be decoded
 * @throws RpcUnavailable, RpcRefused
 */
export async function fetchMany<Value>(
  { rpc, service, isolation }: Pick<LaneContext, 'rpc' | 'service' | 'isolation'>, views: readonly View<Value>[], block: number, signal?: AbortSignal,
): Promise<(Value | null)[]> {
  const values: (Value | null)[] = [];
  for (let from = 0; from < views.length; from += viewsPerCall) {
    const part = views.slice(from, from + viewsPerCall);
    const call = isolation.kind === 'native' ? ownMulticall(service, part) : multicall3(isolation.address, part);
    const { method, params } = callAt(call, block);
    const answers = await rpc.ask(method, params, (result) => call.read(parseBytes(result)), signal);
    values.push(...part.map((view, at) => tryRead(view, answers[at] ?? null)));
  }
  return values;
}

function ownMulticall(service: Hex, views: readonly View<unknown>[]): View<readonly (Hex | null)[]> {
  const abi = verifierServiceAbi;
  return {
    to: service, data: encodeFunctionData({ abi, functionName: 'multicall', args: [views.map(({ data }) => data)] }),
    // A failed call has an empty result.
    read: (data) => decodeFunctionResult({ abi, functionName: 'multicall', data }).map((answer) => (answer === '0x' ? null : answer)),
  };
}

function multicall3(address: Hex, views: readonly View<unknown>[]): View<readonly (Hex | null)[]> {
  const abi = multicall3Abi;
  const calls = views.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  return {
    to: address, data: encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] }),
    read: (data) => decodeFunctionResult({ abi, functionName: 'aggregate3', data }).map(({ success, returnData }) => (success ? returnData : null)),
  };
}

function tryRead<Value>(view: View<Value>, answer: Hex | null): Value | null {
  if (answer === null) return null;
  try {
    return view.read(answer);
  } catch {
    return null;
  }
}
