import type { Hex } from '@vouch/chain/messages/operation';
import type { Block } from '@vouch/chain/rpc/chainReads';

/**
 * The newest blocks of the chain in ascending order without gaps. Each block is linked to its child by hash, from the head down, so
 * one endpoint's wrong answer about a single block has no effect.
 */
export interface ChainView {
  head: Block;
  blocks: readonly Block[];
}

/** Whether a block belongs to the view's chain; `unknown` if the block is older than the view or above the head. */
export function standsIn(view: ChainView, block: { number: number; hash: Hex }): 'yes' | 'no' | 'unknown' {
  const known = blockAt(view, block.number);
  if (known === undefined) return 'unknown';
  return known.hash === block.hash ? 'yes' : 'no';
}

/** Depth of a block: the head has depth 1; 0 or less if the block is above the head. */
export function depthOf(view: ChainView, number: number): number {
  return view.head.number - number + 1;
}

/** The newest block of at least this depth, if the view reaches that far. */
export function settledBlock(view: ChainView, depth: number): Block | undefined {
  return blockAt(view, view.head.number - depth + 1);
}

/** The block of a number; undefined outside the view. */
export function blockAt({ blocks }: ChainView, number: number): Block | undefined {
  const first = blocks[0];
  return first === undefined ? undefined : blocks[number - first.number];
}

/** Whether a reported head is already in the view: the known head, or an ancestor from a lagging endpoint. */
export function isKnown(known: ChainView, head: Block): boolean {
  return standsIn(known, head) === 'yes';
}
