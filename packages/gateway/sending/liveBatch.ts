import type { Hex } from '@vouch/chain/messages/operation';
import type { Fees } from '@vouch/chain/fees/fees';

/** A signed transaction of a batch. */
export interface Attempt {
  hash: Hex;
  raw: Hex;
  fees: Fees;
  /** Whether this is an empty transfer that only uses the nonce. */
  cancels: boolean;
  /** Number of the newest block at the time of signing. */
  headNumber: number;
  createdMs: number;
  /** Time of the last broadcast in ms since 1970; null before the first. */
  broadcastMs: number | null;
  broadcasts: number;
  /** The node's reason for the last rejection, if waiting cannot resolve it; else null. */
  refusal: string | null;
}

interface Numbered {
  batchId: string;
  nonce: number;
  gasLimit: bigint;
  /** Oldest first. */
  attempts: readonly Attempt[];
}

/** A batch that can be mined in any future block. */
export interface WaitingBatch extends Numbered {
  state: 'prepared' | 'sent';
  /** Whether all its operations have ended, so that an empty transfer can replace the batch without loss. */
  ended: boolean;
}

/** A batch in a block that a reorg can still remove. */
export interface MinedBatch extends Numbered {
  state: 'mined';
  block: { number: number; hash: Hex };
}

export type LiveBatch = WaitingBatch | MinedBatch;

/** The newest block that contained a transaction of a key; `time` in seconds since 1970. */
export interface NewestBlock {
  number: number;
  time: number;
  /** The newest one that was final; null before the first. */
  final: { number: number; hash: Hex } | null;
}
