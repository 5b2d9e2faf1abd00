import { parseBlock } from '@vouch/chain/rpc/chainReads';
import { parseNullable } from '@vouch/chain/rpc/parseResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Checkpoint } from '../state/nodeState.ts';

/** How far below the oldest checkpoint a reorganization is followed back. */
const blindDepth = 256;

/**
 * Finds the checkpoints that are still on the chain after a reorganization.
 * @param checkpoints oldest first; may be empty
 * @param newest number of the newest block; the chain may be shorter than the checkpoints
 * @returns never empty; scanning continues after the last checkpoint
 * @throws RpcUnavailable; Error when the chain changes during the search
 */
export async function findFork(rpc: RpcClient, checkpoints: readonly Checkpoint[], newest: number, signal: AbortSignal): Promise<readonly Checkpoint[]> {
  const known = checkpoints.filter(({ block }) => block <= newest);
  const outcomes = await rpc.batch(known.map(({ block }) => ({ method: 'eth_getBlockByNumber', params: [quantity(block), false] })), signal);
  const good = known.filter(({ hash }, at) => {
    const outcome = outcomes[at];
    return outcome?.ok === true && parseNullable(parseBlock)(outcome.result)?.hash === hash;
  });
  if (good.length > 0) return good;
  const number = Math.max(0, (known[0]?.block ?? newest) - blindDepth);
  const block = await rpc.ask('eth_getBlockByNumber', [quantity(number), false], parseNullable(parseBlock), signal);
  if (block === null) throw new Error(`block ${number} is not there`);
  return [{ block: number, hash: block.hash }];
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
