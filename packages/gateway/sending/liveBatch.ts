import type { Hex } from '@vouch/chain/messages/operation';
import type { Fees } from '@vouch/chain/fees/fees';

/** A signed transaction of a batch. */
export interface Attempt {
  hash: Hex;
  raw: Hex;
  fees: Fees;
  /** An empty transfer that only uses up the nonce. */
  cancels: boolean;
  /** Number of the newest block when it was signed. */
  headNumber: number;
  createdMs: number;
  /** When it was last given to a node; null where it never was. */
  broadcastMs: number | null;
  broadcasts: number;
  /** Why the node would not take it the last time, where waiting does not change that. */
  refusal: string | null;
}

interface Numbered {
  batchId: string;
  nonce: number;
  gasLimit: bigint;
  /** Oldest first. */
  attempts: readonly Attempt[];
}

/** It may land in any block to come. */
export interface WaitingBatch extends Numbered {
  state: 'prepared' | 'sent';
  /** All of its operations have expired, so nothing is lost when it does nothing. */
  ended: boolean;
}

/** It stands in a block that may still vanish. */
export interface MinedBatch extends Numbered {
  state: 'mined';
  block: { number: number; hash: Hex };
}

export type LiveBatch = WaitingBatch | MinedBatch;
