import type { Hex } from '@vouch/chain/messages/operation';
import type { Receipt } from '@vouch/chain/rpc/chainReads';
import type { NonceUser } from '../confirming/findNonceUser.ts';
import { depthOf, standsIn, type ChainView } from '../confirming/chainView.ts';
import { isPayable, isStuck, replacementFees, type FeeMarket, type Fees } from '@vouch/chain/fees/fees';
import type { Attempt, LiveBatch, MinedBatch, WaitingBatch } from './liveBatch.ts';

/** Everything the chain said in one step, all of it about one followed head. */
export interface LaneEvidence {
  view: ChainView;
  /** The next nonce of the key at the head's block, read by its hash. */
  nonce: number;
  /** The next nonce at a block so deep that it stays; null where no backend has that state any more. */
  settledNonce: number | null;
  /** Receipts of our transactions by hash. A missing one proves nothing: a backend may lag. */
  receipts: ReadonlyMap<Hex, Receipt>;
  /** Who used nonces that are used up and of which we have no receipt, as far as that could be found. */
  users: ReadonlyMap<number, NonceUser>;
  /** How often in a row that was searched for in vain. */
  vain: ReadonlyMap<number, number>;
  /** Hashes of blocks that are older than the view reaches, by number. */
  oldBlocks: ReadonlyMap<number, Hex>;
  market: FeeMarket;
  /** The chain was set back: blocks above the head are no longer to come, they are gone. */
  setBack: boolean;
  now: number;
}

export interface LaneRules {
  /** Blocks that must follow that of a transaction. */
  confirmations: number;
  /** Blocks that must follow a stranger's transaction before ours with the same nonce is given up. */
  strangerConfirmations: number;
}

export type Decision =
  /** Its bytes go to a node, for the first time or again. */
  | { do: 'broadcast'; batch: WaitingBatch; attempt: Attempt }
  /** A transaction with the same nonce and higher fees takes its place; `cancels`: an empty one. */
  | { do: 'replace'; batch: WaitingBatch; fees: Fees; cancels: boolean }
  | { do: 'mined'; batch: LiveBatch; receipt: Receipt }
  /** Its block is no longer part of the chain; its bytes are sent again. */
  | { do: 'return'; batch: MinedBatch }
  | { do: 'confirm'; batch: MinedBatch }
  /** Nothing of it can land any more; its operations go back to the queue. */
  | { do: 'abandon'; batch: WaitingBatch; reason: string }
  | { do: 'wait'; batch: LiveBatch; why: string };

/** Bytes are given to a node again after a block and this long: it may have dropped them. */
const broadcastAgainMs = 2_000;
/** A backend that lags has no receipt and finds no user of a nonce; only this many searches in a row without a result are believed. */
const maxVainSearches = 20;
/** Bytes that a node refuses this often for what they are will not be taken: an empty transaction takes their place. */
const maxRefusedBroadcasts = 5;

/**
 * The decision table of one key's transactions. It knows nothing but what is stored and what the chain said, so it comes to the
 * same decisions after a crash. The rules behind it:
 * a nonce that is used up in the followed chain is used up by one of our attempts (then a receipt will come) or by a stranger
 * (then, once that is settled, none of ours can land); a nonce that is not used up may still be used by any attempt ever
 * signed, so its batch keeps the nonce and is only sent again or replaced.
 */
export function decideLane(batches: readonly LiveBatch[], evidence: LaneEvidence, rules: LaneRules): Decision[] {
  return batches.map((batch) => (batch.state === 'mined' ? decideMined(batch, evidence, rules) : decideWaiting(batch, evidence, rules)));
}

/** Nonces that are used up and of which no receipt in a followed block tells: who used them has to be found. */
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
  if (stands === 'unknown') return { do: 'wait', batch, why: `nothing is known of block ${batch.block.number}` };
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
    const settled = evidence.settledNonce !== null && evidence.settledNonce > batch.nonce;
    return settled && (evidence.vain.get(batch.nonce) ?? 0) >= maxVainSearches
      ? { do: 'abandon', batch, reason: `nonce ${batch.nonce} was used by a transaction that no endpoint shows, and by none of ours` }
      : { do: 'wait', batch, why: `nonce ${batch.nonce} is used up; by whom is not known yet` };
  }
  if (batch.attempts.some(({ hash }) => hash === user.transactionHash)) {
    return { do: 'wait', batch, why: `transaction ${user.transactionHash} is in block ${user.block.number}; its receipt has not come yet` };
  }
  return standing(user.block, evidence) === 'yes' && depthOf(evidence.view, user.block.number) > rules.strangerConfirmations
    ? { do: 'abandon', batch, reason: `nonce ${batch.nonce} was used by transaction ${user.transactionHash}, which is not ours` }
    : { do: 'wait', batch, why: `nonce ${batch.nonce} was used by a stranger; that is not settled yet` };
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
  const stuck = batch.nonce === evidence.nonce && isStuck({ blocks, ms: now - attempt.createdMs });
  if (cancels || underpriced || stuck) {
    const fees = replacementFees(attempt.fees, market);
    if (fees !== null) return { do: 'replace', batch, fees, cancels: cancels || attempt.cancels };
  }
  // A clock that was set back must not keep the bytes from being sent.
  const sinceMs = now - attempt.broadcastMs;
  if (blocks >= 1 && (sinceMs >= broadcastAgainMs || sinceMs < 0)) return { do: 'broadcast', batch, attempt };
  return { do: 'wait', batch, why: underpriced ? 'the base fee is above what it offers, and more is not allowed' : 'it waits for a block' };
}

/** A receipt of one of the batch's transactions in a block of the followed chain. */
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
