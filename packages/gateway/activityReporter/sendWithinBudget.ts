import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { wrapCalls, type ArrangedCall } from '../calls/arrangeCalls.ts';
import { readReporterRest, type ReporterKind } from '../budgets/reporterBudget.ts';
import type { FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { sendReporterTransaction } from '../sending/sendMaintenanceTransaction.ts';
import { lockReporter } from './attestationStore.ts';

export interface ReporterWork {
  kind: ReporterKind;
  calls: readonly Hex[];
  gasLimit: bigint;
  /** For whom, for the log. */
  about: Record<string, unknown>;
}

/** Ends a transaction that is not stored yet: another key does the work, or the budget is used up. */
class NotSent extends Error {}

/**
 * Sends what the keeper does for nodes, where the key and the budget of the day can pay for it. Keys and gateways come here one after
 * the other, each to see what the others have sent.
 * @param claim stores for whom, in the transaction of the batch; false where another key does the work already
 * @returns whether it was sent
 */
export async function sendWithinBudget(
  context: LaneContext, work: ReporterWork, own: FundedSlot, claim: (transaction: Connection, batchId: string) => Promise<boolean>, signal?: AbortSignal,
): Promise<boolean> {
  const { database, lane: { deployment, relayer }, service, isolation, doors, log } = context;
  const { kind, calls, gasLimit, about } = work;
  // Messages come first: a transaction that cannot be paid would hold those behind it up.
  if (gasLimit * own.fees.maxFeeWei > own.spareWei) {
    log.warn({ kind, relayer, ...about }, 'the balance of a relayer key does not pay for what the keeper would send: send it more');
    return false;
  }
  const now = doors.clock.now();
  if ((await readReporterRest(database, deployment, kind, now)) < gasLimit) {
    log.warn({ kind, gas: String(gasLimit), ...about }, 'the budget of the keeper is used up for today: raise it (vouch gateway budget keeper)');
    return false;
  }
  const payload = wrapCalls(calls.map((data, member): ArrangedCall => ({ kind: 'single', data, member })), service, isolation);
  try {
    const batch = await sendReporterTransaction(context, { kind, payload, gasLimit }, own, async (transaction, batchId) => {
      await lockReporter(transaction, deployment);
      // The batch itself is stored by now, and so is whatever another key sent meanwhile.
      const isPaid = (await readReporterRest(transaction, deployment, kind, now)) >= 0;
      if (!isPaid || !(await claim(transaction, batchId))) throw new NotSent();
    }, signal);
    if (batch !== null) log.info({ batch, kind, ...about }, 'sent by the keeper');
    return batch !== null;
  } catch (error) {
    if (error instanceof NotSent) return false;
    throw error;
  }
}
