import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { wrapCalls, type ArrangedCall } from '../calls/arrangeCalls.ts';
import { loadReporterRest, type ReporterKind } from '../budgets/reporterBudget.ts';
import type { FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { sendReporterTransaction } from '../sending/sendMaintenanceTransaction.ts';
import { lockReporter } from './attestationStore.ts';

/** A transaction to be sent by the activity reporter; `calls` are calldata for the service contract. */
export interface ReporterWork {
  kind: ReporterKind;
  calls: readonly Hex[];
  gasLimit: bigint;
  /** Subjects of the work, for the log. */
  about: Record<string, unknown>;
}

/** Rolls back a batch before it is stored: another key does the work, or the budget is exhausted. */
class NotSent extends Error {}

/**
 * Sends a transaction of the activity reporter if the key's balance and the day's budget allow the cost. A lock serializes all keys
 * and gateways of a deployment, so each sees the others' transactions.
 * @param claim stores the subjects in the batch's database transaction; returns false if another key already does the work
 * @returns whether the transaction was sent
 */
export async function sendWithinBudget(
  context: LaneContext, work: ReporterWork, own: FundedSlot, claim: (transaction: Connection, batchId: string) => Promise<boolean>, signal?: AbortSignal,
): Promise<boolean> {
  const { database, lane: { deployment, relayer }, service, isolation, system, log } = context;
  const { kind, calls, gasLimit, about } = work;
  // Messages have priority: a transaction without sufficient balance would block later nonces.
  if (gasLimit * own.fees.maxFeeWei > own.spareWei) {
    log.warn({ kind, relayer, ...about }, 'the balance of a relayer key is too low for a maintenance transaction: send ether to the key');
    return false;
  }
  const now = system.clock.now();
  if ((await loadReporterRest(database, deployment, kind, now)) < gasLimit) {
    log.warn({ kind, gas: String(gasLimit), ...about }, 'today\'s budget for maintenance transactions is exhausted: raise the budget (vouch gateway budget keeper)');
    return false;
  }
  const payload = wrapCalls(calls.map((data, member): ArrangedCall => ({ kind: 'single', data, member })), service, isolation);
  try {
    const batch = await sendReporterTransaction(context, { kind, payload, gasLimit }, own, async (transaction, batchId) => {
      await lockReporter(transaction, deployment);
      // Here the usage includes this batch and all batches that other keys stored before.
      const isPaid = (await loadReporterRest(transaction, deployment, kind, now)) >= 0;
      if (!isPaid || !(await claim(transaction, batchId))) throw new NotSent();
    }, signal);
    if (batch !== null) log.info({ batch, kind, ...about }, 'sent a maintenance transaction');
    return batch !== null;
  } catch (error) {
    if (error instanceof NotSent) return false;
    throw error;
  }
}
