import { decodeErrorResult, type Abi } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { parseBytes } from '../../rpc/parseResult.ts';
import type { RpcRefused } from '../../rpc/rpcErrors.ts';
import { artifacts } from './contractList.ts';

const errors: Abi = [
  ...Object.values(artifacts).flatMap(({ abi }) => (abi as Abi).filter(({ type }) => type === 'error')),
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
];

/** Explains why a node refused a call; decodes reverts of Vouch's contracts. */
export function explainRefusal({ said, data }: RpcRefused): string {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  return typeof inner === 'string' && /^0x[0-9a-fA-F]{8,}$/.test(inner) ? explainRevert(parseBytes(inner)) : said;
}

/** Decodes revert data as `Name(values)`. */
export function explainRevert(data: Hex): string {
  if (data === '0x') return 'the call reverted without a reason; chains without the Cancun upgrade also reject this code without a reason';
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errors, data });
    return `the contract rejects the call with ${errorName}(${(args as readonly unknown[]).map(String).join(', ')})`;
  } catch {
    return `the contract rejects the call with ${data.slice(0, 74)}`;
  }
}
