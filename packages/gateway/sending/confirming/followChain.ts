import { getBlock, parseBlock, type Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { numberToHex } from 'viem';
import { blockAt, isKnown, type ChainView } from './chainView.ts';

/** Keeps a view of the newest blocks. */
export interface ChainFollower {
  /**
   * Reads the newest block and links it to the known blocks.
   * @throws if no endpoint answers, or if endpoints answer for different chains; the caller retries
   */
  follow(signal?: AbortSignal): Promise<ChainView>;
}

/** Number of consecutive lagging heads after which the view is rebuilt, because the chain may have been reset. */
const maxLaggingAnswers = 10;

/**
 * Follows the head by parent hashes. The cache holds only immutable blocks, so another process without a cache builds the same view.
 * @param length number of blocks in the view
 * @param verify rejects if the endpoints serve another chain than before; called for a view that has no block of the view before
 */
export function createChainFollower(rpc: RpcClient, length: number, verify: () => Promise<void>): ChainFollower {
  let known: ChainView | null = null;
  let lagging = 0;

  /** Reads blocks by number. Missing blocks are omitted; the caller uses only blocks that the parent hashes link to the head. */
  async function fetchRange(from: number, to: number, signal?: AbortSignal): Promise<Map<number, Block>> {
    const calls = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => ({ method: 'eth_getBlockByNumber', params: [numberToHex(from + at), false] }));
    const outcomes = calls.length === 0 ? [] : await rpc.batch(calls, signal);
    const blocks = outcomes.flatMap((outcome) => (outcome.ok && outcome.result !== null ? [parseBlock(outcome.result)] : []));
    return new Map(blocks.map((block) => [block.number, block]));
  }

  async function fetchParent(child: Block, signal?: AbortSignal): Promise<Block> {
    const parent = await getBlock(rpc, child.parentHash, signal);
    if (parent === null || parent.hash !== child.parentHash || parent.number !== child.number - 1) {
      throw new Error(`the RPC endpoint contradicts itself: the parent of block ${child.number} is ${child.parentHash}, which the endpoint does not have`);
    }
    return parent;
  }

  return {
    async follow(signal) {
      const head = await rpc.ask('eth_getBlockByNumber', ['latest', false], parseBlock, signal);
      if (known !== null && isKnown(known, head)) {
        lagging = head.hash === known.head.hash ? 0 : lagging + 1;
        if (lagging <= maxLaggingAnswers) return known;
        known = null;
      }
      lagging = 0;
      const lowest = Math.max(0, head.number - length + 1);
      const byNumber = await fetchRange(Math.max(lowest, known === null ? lowest : known.head.number + 1), head.number - 1, signal);
      const read = [head];
      let below: readonly Block[] = [];
      for (let child = head; child.number > lowest; ) {
        const before = known === null ? undefined : blockAt(known, child.number - 1);
        if (known !== null && before?.hash === child.parentHash) {
          below = known.blocks.filter(({ number }) => number < child.number);
          break;
        }
        const named = byNumber.get(child.number - 1);
        child = named?.hash === child.parentHash ? named : await fetchParent(child, signal);
        read.push(child);
      }
      if (below.length === 0) await verify();
      known = { head, blocks: [...below, ...read.toReversed()].slice(-length) };
      return known;
    },
  };
}
