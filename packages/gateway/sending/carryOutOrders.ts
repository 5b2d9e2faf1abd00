import { SignerFault } from '@vouch/chain/signers/signerFault';
import { formatEther } from 'viem/utils';
import { committedWei, emptyTransferGas, giveToNode } from './actOnDecision.ts';
import { listLiveBatches, loadPayload, storeReplacement } from './batchStore.ts';
import type { LaneContext } from './laneContext.ts';
import type { LiveBatch } from './liveBatch.ts';
import type { Evidence } from './fetchEvidence.ts';
import { orderedFees } from '../orders/orderFees.ts';
import { answerRefused, answerSent, listWaitingOrders, type WaitingOrder } from '../orders/orderStore.ts';

/**
 * Executes operators' orders about this key's transactions. One commit stores the replacement and the answer, so after a crash an
 * order is either executed once or still waiting. A cancelled transaction keeps its nonce, and all its attempts are followed: its
 * messages return to the queue only when the empty transfer is confirmed, because the original can be mined until then.
 * @param batches the stored batches
 * @returns the stored batches after the orders
 */
export async function carryOutOrders(context: LaneContext, batches: readonly LiveBatch[], evidence: Evidence, signal?: AbortSignal): Promise<readonly LiveBatch[]> {
  const { database, lane, signer, system, log } = context;
  // A lagging endpoint's state must not cause a refusal.
  if ((evidence.behind && !evidence.setBack) || signer.resting() !== null) return batches;
  let live = batches;
  for (const order of await listWaitingOrders(database, lane)) {
    try {
      const refusal = await carryOut(context, order, live, evidence, signal);
      // The next order is checked against the remaining balance.
      if (refusal === null) live = await listLiveBatches(database, lane);
      else await answerRefused(database, order.orderId, refusal, new Date(system.clock.now()));
      log.info({ order: order.orderId, batch: order.batchId, kind: order.kind, refusal }, 'an order for a transaction was executed or rejected');
    } catch (error) {
      if (!(error instanceof SignerFault)) throw error;
      log.warn({ reason: error.message, order: order.orderId }, 'the transaction of an order could not be signed; the gateway retries');
    }
  }
  return live;
}

/** @returns the reason of the refusal; null if the order was executed */
async function carryOut(context: LaneContext, order: WaitingOrder, batches: readonly LiveBatch[], evidence: Evidence, signal?: AbortSignal): Promise<string | null> {
  const { database, lane, signer, system } = context;
  const batch = batches.find(({ batchId }) => batchId === order.batchId);
  if (batch === undefined || batch.state === 'mined' || batch.nonce < evidence.nonce) return 'The nonce of the transaction is already used, so the transaction can no longer be replaced.';
  const last = batch.attempts.at(-1);
  if (last === undefined) return 'The transaction has no signed attempt that could be replaced.';
  if (order.kind === 'cancel' && last.cancels) return 'The transaction is already being cancelled. If the empty transfer waits too long, speed it up.';
  const cancels = order.kind === 'cancel' || last.cancels;
  const gasLimit = cancels ? emptyTransferGas : batch.gasLimit;
  const ordered = orderedFees(last.fees, evidence.market, order.maxFeeWei, context.feeCapSetting);
  if ('refusal' in ordered) return ordered.refusal;
  const { fees } = ordered;
  const neededWei = committedWei(batches) - committedWei([batch]) + gasLimit * fees.maxFeeWei;
  if (neededWei > evidence.balanceWei) return `The key has ${formatEther(evidence.balanceWei)} ETH, but its pending transactions may then cost ${formatEther(neededWei)}: send ether to ${lane.relayer} first.`;
  const payload = cancels ? { to: lane.relayer, calldata: '0x' as const } : await loadPayload(database, batch.batchId);
  const signed = await signer.sign({ nonce: batch.nonce, payload, gasLimit, fees }, signal);
  const at = new Date(system.clock.now());
  const stored = await storeReplacement(
    database, batch.batchId, { ...signed, fees, cancels, headNumber: evidence.view.head.number, at },
    (transaction) => answerSent(transaction, order.orderId, signed.hash, at));
  if (!stored) return 'The transaction no longer waits for a block, so it cannot be replaced.';
  await giveToNode(context, batch.batchId, signed, signal);
  return null;
}
