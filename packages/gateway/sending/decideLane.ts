import type { Hex } from '@vouch/chain/messages/operation';
import type { Block, Receipt } from '@vouch/chain/rpc/chainReads';
import type { NonceUser } from './confirming/findNonceUser.ts';
import { depthOf, standsIn, type ChainView } from './confirming/chainView.ts';
import { isPayable, isStuck, replacementFees, type FeeMarket, type Fees } from '@vouch/chain/fees/fees';
import type { Attempt, LiveBatch, MinedBatch, WaitingBatch } from './liveBatch.ts';

/** The chain's answers in one step, all for the same followed head. */
export interface LaneEvidence {
  view: ChainView;
  /** The key's next nonce at the head block, read by block hash. */
  nonce: number;
  /** The key's next nonce at a block too deep for a reorg; null if no endpoint has that state any more. */
  settled: { nonce: number; block: Block } | null;
  /** Receipts of the key's transactions by hash. A missing receipt proves nothing, because an endpoint can lag. */
  receipts: ReadonlyMap<Hex, Receipt>;
  /** The transactions that used nonces for which no receipt is known, as far as the search found them. */
  users: ReadonlyMap<number, NonceUser>;
  /** Number of consecutive failed searches by nonce. */
  vain: ReadonlyMap<number, number>;
  /** Block hashes by number, for blocks older than the view. */
  oldBlocks: ReadonlyMap<number, Hex>;
  market: FeeMarket;
  /** Whether the chain was reset to an earlier block, so that stored blocks above the head no longer exist. */
  setBack: boolean;
  now: number;
}

/** Required depth of blocks. */
export interface LaneRules {
  /** Blocks that must follow a transaction's block, also that of another program with the nonce of a batch. */
  confirmations: number;
}

export type Decision =
  /** Broadcast the bytes, for the first time or again. */
  | { do: 'broadcast'; batch: WaitingBatch; attempt: Attempt }
  /** Replace the transaction with one of the same nonce and higher fees; `cancels`: an empty transfer. */
  | { do: 'replace'; batch: WaitingBatch; fees: Fees; cancels: boolean }
  | { do: 'mined'; batch: LiveBatch; receipt: Receipt }
  /** The block left the chain; the bytes are broadcast again. */
  | { do: 'return'; batch: MinedBatch }
  | { do: 'confirm'; batch: MinedBatch }
  /** No attempt can be mined any more, because the nonce is used at the end of `block`; the operations return to the queue. */
  | { do: 'abandon'; batch: WaitingBatch; reason: string; block: { number: number; hash: Hex } }
  | { do: 'wait'; batch: LiveBatch; why: string };

/** Minimum age in ms of a broadcast before a repetition, which also needs a new block; nodes can drop pending transactions. */
const broadcastAgainMs = 2_000;
/**
 * A lagging endpoint shows neither a receipt nor the nonce's user, so a batch is abandoned only after this many failed searches
 * in a row.
 */
const maxVainSearches = 20;
/** After this many rejections for the transaction's content, an empty transfer replaces it. */
const maxRefusedBroadcasts = 5;

/**
 * Decides about each of one key's batches, from stored rows and the chain's answers only, so the decisions are the same after a
 * crash. Rules:
 * - If the followed chain used the nonce, either an attempt of this batch used it (a receipt will follow) or a foreign transaction
 *   did (once that one is settled, no attempt can be mined).
 * - If the nonce is unused, any attempt that was ever signed can still be mined, so the batch keeps its nonce and is only broadcast
 *   again or replaced.
 */
export function decideLane(batches: readonly LiveBatch[], evidence: LaneEvidence, rules: LaneRules): Decision[] {
  return batches.map((batch) => (batch.state === 'mined' ? decideMined(batch, evidence, rules) : decideWaiting(batch, evidence, rules)));
}

/** Used nonces without a receipt in a followed block; the caller must search for the transactions that used them. */
export function unexplainedNonces(batches: readonly LiveBatch[], evidence: Omit<LaneEvidence, 'users'>): number[] {
  return batches
    .filter((batch) => batch.state !== 'mined' && batch.nonce < evidence.nonce && standingReceipt(batch, evidence) === null)
    .map(({ nonce }) => nonce);
}

function decideMined(batch: MinedBatch, evidence: LaneEvidence, rules: LaneRules): Decision {
  const stands = standing(batch.block, evidence);
  if (stands === 'yes') {
    return depthOf(evidence.view, batch.block.number) > rules.confirmations
      ? { do: 'confirm', batch }
      : { do: 'wait', batch, why: `block ${batch.block.number} is not deep enough yet` };
  }
  if (stands === 'unknown') return { do: 'wait', batch, why: `block ${batch.block.number} is unknown` };
  const receipt = standingReceipt(batch, evidence);
  return receipt === null ? { do: 'return', batch } : { do: 'mined', batch, receipt };
}

function decideWaiting(batch: WaitingBatch, evidence: LaneEvidence, rules: LaneRules): Decision {
  const receipt = standingReceipt(batch, evidence);
  if (receipt !== null) return { do: 'mined', batch, receipt };
  return batch.nonce < evidence.nonce ? decideUsedUp(batch, evidence, rules) : decidePending(batch, evidence);
}

function decideUsedUp(batch: WaitingBatch, evidence: LaneEvidence, rules: LaneRules): Decision {
  const user = evidence.users.get(batch.nonce);
  if (user === undefined) {
    const { settled } = evidence;
    return settled !== null && settled.nonce > batch.nonce && (evidence.vain.get(batch.nonce) ?? 0) >= maxVainSearches
      ? { do: 'abandon', batch, block: settled.block, reason: `nonce ${batch.nonce} was used by a transaction that no endpoint returns and that this gateway did not send` }
      : { do: 'wait', batch, why: `nonce ${batch.nonce} is used by a transaction that is not known yet` };
  }
  if (batch.attempts.some(({ hash }) => hash === user.transactionHash)) {
    return { do: 'wait', batch, why: `transaction ${user.transactionHash} is in block ${user.block.number}; its receipt is not available yet` };
  }
  return standing(user.block, evidence) === 'yes' && depthOf(evidence.view, user.block.number) > rules.confirmations
    ? { do: 'abandon', batch, block: user.block, reason: `nonce ${batch.nonce} was used by transaction ${user.transactionHash}, which this gateway did not send` }
    : { do: 'wait', batch, why: `nonce ${batch.nonce} was used by a transaction of another sender that is not final yet` };
}

function decidePending(batch: WaitingBatch, evidence: LaneEvidence): Decision {
  const { market, now, view } = evidence;
  const attempt = batch.attempts.at(-1);
  if (attempt === undefined) throw new Error(`batch ${batch.batchId} has a nonce and no transaction`);
  if (attempt.broadcastMs === null) return { do: 'broadcast', batch, attempt };
  const blocks = view.head.number - attempt.headNumber;
  const unsendable = attempt.refusal !== null && attempt.broadcasts >= maxRefusedBroadcasts;
  const cancels = (batch.ended || unsendable) && !attempt.cancels;
  const underpriced = !isPayable(attempt.fees, market.baseFeeWei) && blocks >= 1;
  // A negative age means that the clock was set back, or that a gateway with a clock ahead created the transaction: the blocks decide alone.
  const ageMs = now - attempt.createdMs;
  const stuck = batch.nonce === evidence.nonce && isStuck({ blocks, ms: ageMs < 0 ? Infinity : ageMs });
  if (cancels || underpriced || stuck) {
    const fees = replacementFees(attempt.fees, market);
    if (fees !== null) return { do: 'replace', batch, fees, cancels: cancels || attempt.cancels };
  }
  // A clock that was set back must not stop broadcasts either.
  const sinceMs = now - attempt.broadcastMs;
  if (blocks >= 1 && (sinceMs >= broadcastAgainMs || sinceMs < 0)) return { do: 'broadcast', batch, attempt };
  return { do: 'wait', batch, why: underpriced ? 'the base fee is above the fee of the transaction, and the limit allows no higher fee' : 'the transaction waits for a block' };
}

/** The receipt of one of the batch's attempts in a block of the followed chain. */
function standingReceipt(batch: LiveBatch, evidence: Omit<LaneEvidence, 'users'>): Receipt | null {
  for (const { hash } of batch.attempts) {
    const receipt = evidence.receipts.get(hash);
    if (receipt !== undefined && standing({ number: receipt.blockNumber, hash: receipt.blockHash }, evidence) === 'yes') return receipt;
  }
  return null;
}

function standing(block: { number: number; hash: Hex }, { view, oldBlocks, setBack }: Pick<LaneEvidence, 'view' | 'oldBlocks' | 'setBack'>): 'yes' | 'no' | 'unknown' {
  if (setBack && block.number > view.head.number) return 'no';
  const stands = standsIn(view, block);
  const old = oldBlocks.get(block.number);
  return stands === 'unknown' && old !== undefined ? (old === block.hash ? 'yes' : 'no') : stands;
}
