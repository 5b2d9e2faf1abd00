import type { Hex } from '@vouch/chain/messages/operation';
import type { Block } from '@vouch/chain/rpc/chainReads';

/**
 * The newest blocks of the chain, each the parent of the next, by number ascending and without a gap. What stands here was
 * linked by hashes from the head down, so that one backend's word about a single block does not count.
 */
export interface ChainView {
  head: Block;
  blocks: readonly Block[];
}

/** Whether a block belongs to the chain of the view; `unknown` where it is older than the view reaches or newer. */
export function standsIn(view: ChainView, block: { number: number; hash: Hex }): 'yes' | 'no' | 'unknown' {
  const known = blockAt(view, block.number);
  if (known === undefined) return 'unknown';
  return known.hash === block.hash ? 'yes' : 'no';
}

/** Blocks on top of this one, its own counted; 0 or less where the head is below it. */
export function depthOf(view: ChainView, number: number): number {
  return view.head.number - number + 1;
}

/** The youngest block that has the wanted depth, as far as the view reaches. */
export function settledBlock(view: ChainView, depth: number): Block | undefined {
  return blockAt(view, view.head.number - depth + 1);
}

/** The block of a number; absent where the view does not reach it. */
export function blockAt({ blocks }: ChainView, number: number): Block | undefined {
  const first = blocks[0];
  return first === undefined ? undefined : blocks[number - first.number];
}

/** Whether the head that a backend named adds nothing: it is the known one, or one of its forebears that a backend lags behind at. */
export function isKnown(known: ChainView, head: Block): boolean {
  return standsIn(known, head) === 'yes';
}
