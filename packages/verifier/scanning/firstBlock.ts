import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';

/** Placeholder for an unknown hash of the first block. */
export const unknownFirstBlock: Hex = `0x${'0'.repeat(64)}`;

/**
 * Fetches the hash of block 0, which distinguishes two chains with the same id. Endpoints that keep only newer blocks do not return it.
 * @throws RpcUnavailable
 */
export async function fetchFirstBlock(rpc: RpcClient, signal?: AbortSignal): Promise<Hex> {
  try {
    return (await getBlock(rpc, 0, signal))?.hash ?? unknownFirstBlock;
  } catch (error) {
    if (error instanceof RpcRefused) return unknownFirstBlock;
    throw error;
  }
}

/** Whether both hashes are known and differ. */
export function isOtherChain(before: Hex, now: Hex): boolean {
  return before !== now && before !== unknownFirstBlock && now !== unknownFirstBlock;
}
