import type { Hex } from '@vouch/chain/messages/operation';
import { readBlock, type Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { isKnown, joinBlocks, type ChainView } from './chainView.ts';

export interface ChainFollower {
  /**
   * Asks for the newest block and follows the chain down to what is known.
   * @throws where no endpoint answers, or where they answer for different chains: ask again a moment later
   */
  follow(signal?: AbortSignal): Promise<ChainView>;
}

/** A head that lies behind, said this many times in a row, is believed: the chain itself may have been set back. */
const laggingAnswersMax = 20;

/**
 * Follows the head by parent hashes. What it remembers is only a copy of immutable blocks: another process starts with
 * nothing and comes to the same view.
 * @param length how many blocks below the head the view reaches
 */
export function createChainFollower(rpc: RpcClient, length: number): ChainFollower {
  let known: ChainView | null = null;
  let lagging = 0;

  async function readRange(from: number, to: number, signal?: AbortSignal): Promise<Block[]> {
    const calls = Array.from({ length: to - from + 1 }, (_, at) => ({ method: 'eth_getBlockByNumber', params: [hexNumber(from + at), false] }));
    const outcomes = await rpc.batch(calls, signal);
    return outcomes.map((outcome, at) => {
      if (!outcome.ok) throw outcome.error;
      if (outcome.result === null) throw new Error(`block ${from + at} is not there, although block ${to + 1} was named as the newest`);
      return readBlock(outcome.result);
    });
  }

  return {
    async follow(signal) {
      const head = await rpc.ask('eth_getBlockByNumber', ['latest', false], readBlock, signal);
      if (known !== null && isKnown(known, head)) {
        lagging = head.hash === known.head.hash ? 0 : lagging + 1;
        if (lagging <= laggingAnswersMax) return known;
        known = null;
      }
      lagging = 0;
      const lowest = Math.max(0, head.number - length + 1);
      // First only what is new; where that does not join, the whole length: the chain was reorganised.
      const from = known === null ? lowest : Math.min(head.number, Math.max(lowest, known.head.number + 1));
      let read = [...(from < head.number ? await readRange(from, head.number - 1, signal) : []), head];
      let joined = joinBlocks(known, read, length);
      if (joined !== null && joined.blocks.length < Math.min(length, head.number + 1)) {
        read = [...(lowest < head.number ? await readRange(lowest, head.number - 1, signal) : []), head];
        joined = joinBlocks(null, read, length);
      }
      if (joined === null) throw new Error('the RPC answers for different chains: blocks in a row are not linked by their hashes');
      known = joined;
      return joined;
    },
  };
}

export function hexNumber(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}
