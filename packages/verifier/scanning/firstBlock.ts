import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';

/** In the place of the hash where no endpoint told it. */
export const unknownFirstBlock: Hex = `0x${'0'.repeat(64)}`;

/**
 * Hash of block 0, by which two chains of one id differ. Endpoints that keep only newer blocks have none, or refuse.
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

/** Only where both are known can they differ. */
export function isOtherChain(before: Hex, now: Hex): boolean {
  return before !== now && before !== unknownFirstBlock && now !== unknownFirstBlock;
}
