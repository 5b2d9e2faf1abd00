import { decodeFunctionResult, encodeFunctionData } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { parseBytes } from '../../rpc/parseResult.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { licenseAbi } from '../abi/license.ts';

export interface LicenseHolder {
  address: Hex;
  licenses: number;
}

/** Maximum number of licenses to read; the list is for display in a plan. */
const licensesMax = 20_000;

/**
 * Reads the number of licenses per holder, largest first.
 * @throws RpcRefused, RpcUnavailable
 */
export async function fetchHolders(rpc: RpcClient, license: Hex, block: number, signal?: AbortSignal): Promise<LicenseHolder[]> {
  const tag = `0x${block.toString(16)}`;
  const minted = await rpc.ask('eth_call', [{ to: license, data: encodeFunctionData({ abi: licenseAbi, functionName: 'minted' }) }, tag], (answer) =>
    decodeFunctionResult({ abi: licenseAbi, functionName: 'minted', data: parseBytes(answer, 32) }), signal);
  const ids = Array.from({ length: Math.min(Number(minted), licensesMax) }, (_, at) => BigInt(at + 1));
  const outcomes = await rpc.batch(ids.map((id) => ({
    method: 'eth_call', params: [{ to: license, data: encodeFunctionData({ abi: licenseAbi, functionName: 'ownerOf', args: [id] }) }, tag],
  })), signal);
  const counts = new Map<Hex, number>();
  for (const outcome of outcomes) {
    if (!outcome.ok) throw outcome.error;
    const holder = `0x${parseBytes(outcome.result, 32).slice(-40)}` as Hex;
    counts.set(holder, (counts.get(holder) ?? 0) + 1);
  }
  return [...counts].map(([address, licenses]) => ({ address, licenses })).sort((first, second) => second.licenses - first.licenses || (first.address < second.address ? -1 : 1));
}
