import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Hold } from '../requests/gatewayRequest.ts';
import { blockAt } from '../sending/confirming/chainView.ts';
import type { FollowedChain } from './holdStore.ts';

/** Whether a message met the same ending in a block that is final now. */
export async function isFinalHold(rpc: RpcClient, { view, finalBlock }: FollowedChain, held: Hold | null, code: string, signal?: AbortSignal): Promise<boolean> {
  if (held === null || held.code !== code || held.number > finalBlock) return false;
  const block = blockAt(view, held.number) ?? (await getBlock(rpc, held.number, signal));
  return block?.hash === held.hash;
}
