import { SignerFault } from '@vouch/chain/signers/signerFault';
import { committedWei, emptyTransferGas, giveToNode } from './actOnDecision.ts';
import { readLiveBatches, readPayload, storeReplacement } from './batchStore.ts';
import type { LaneContext } from './laneContext.ts';
import type { LiveBatch } from './liveBatch.ts';
import type { Evidence } from './readEvidence.ts';
import { orderedFees } from '../orders/orderFees.ts';
import { answerRefused, answerSent, readWaitingOrders, type WaitingOrder } from '../orders/orderStore.ts';

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
  for (const order of await readWaitingOrders(database, lane)) {
    try {
      const refusal = await carryOut(context, order, live, evidence, signal);
      // The next order is checked against the remaining balance.
      if (refusal === null) live = await readLiveBatches(database, lane);
      else await answerRefused(database, order.orderId, refusal, new Date(system.clock.now()));
      log.info({ order: order.orderId, batch: order.batchId, kind: order.kind, refusal }, 'an order about a transaction was answered');
    } catch (error) {
      if (!(error instanceof SignerFault)) throw error;
      log.warn({ reason: error.message, order: order.orderId }, 'an order about a transaction could not be signed; it is tried again');
    }
  }
  return live;
}

/** @returns the reason of the refusal; null if the order was executed */
async function carryOut(context: LaneContext, order: WaitingOrder, batches: readonly LiveBatch[], evidence: Evidence, signal?: AbortSignal): Promise<string | null> {
  const { database, lane, signer, system } = context;
  const batch = batches.find(({ batchId }) => batchId === order.batchId);
  if (batch === undefined || batch.state === 'mined' || batch.nonce < evidence.nonce) return 'It is too late: the nonce of the transaction is used already.';
  const last = batch.attempts.at(-1);
  if (last === undefined) return 'The transaction has nothing signed that could be replaced.';
  if (order.kind === 'cancel' && last.cancels) return 'The transaction is being cancelled already: speed it up where the empty transfer waits.';
  const cancels = order.kind === 'cancel' || last.cancels;
  const gasLimit = cancels ? emptyTransferGas : batch.gasLimit;
  const ordered = orderedFees(last.fees, evidence.market, order.maxFeeWei, context.feeCapSetting);
  if ('refusal' in ordered) return ordered.refusal;
  const { fees } = ordered;
  const neededWei = committedWei(batches) - committedWei([batch]) + gasLimit * fees.maxFeeWei;
  if (neededWei > evidence.balanceWei) return `The key has ${ether(evidence.balanceWei)} ETH, and what is on its way may then cost ${ether(neededWei)}: send it more first.`;
  const payload = cancels ? { to: lane.relayer, calldata: '0x' as const } : await readPayload(database, batch.batchId);
  const signed = await signer.sign({ nonce: batch.nonce, payload, gasLimit, fees }, signal);
  const at = new Date(system.clock.now());
  const stored = await storeReplacement(
    database, batch.batchId, { ...signed, fees, cancels, headNumber: evidence.view.head.number, at },
    (transaction) => answerSent(transaction, order.orderId, signed.hash, at));
  if (!stored) return 'It is too late: the transaction no longer waits.';
  await giveToNode(context, batch.batchId, signed, signal);
  return null;
}

function ether(wei: bigint): string {
  return (Number(wei) / 1e18).toFixed(6);
}
