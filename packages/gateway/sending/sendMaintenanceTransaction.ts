import type { Connection } from '@vouch/platform/database/database';
import type { Payload } from '../calls/arrangeCalls.ts';
import type { ReporterKind } from '../budgets/reporterBudget.ts';
import { emptyTransferGas, giveToNode } from './actOnDecision.ts';
import { storeMaintenance } from './batchStore.ts';
import type { LaneContext, MaintenanceSlot } from './laneContext.ts';

/**
 * Sends an empty transfer at a nonce whose gap blocks later transactions.
 * @returns whether the transfer was stored and sent
 */
export async function sendFiller(context: LaneContext, own: MaintenanceSlot, signal?: AbortSignal): Promise<boolean> {
  const sent = await sendMaintenanceTransaction(context, 'filler', { to: context.lane.relayer, calldata: '0x' }, emptyTransferGas, own, undefined, signal);
  if (sent !== null) context.log.warn({ batch: sent, nonce: own.nonce }, 'an unused nonce is filled with an empty transaction, because later transactions wait for it');
  return sent !== null;
}

/** A transaction of the activity reporter and its gas limit. */
export interface ReporterTransaction {
  kind: ReporterKind;
  payload: Payload;
  gasLimit: bigint;
}

/**
 * Sends a transaction of the activity reporter.
 * @param also stores the transaction's subjects in the same commit; throws to cancel the transaction
 * @returns the batch id; null if another batch has the nonce
 */
export function sendReporterTransaction(
  context: LaneContext, { kind, payload, gasLimit }: ReporterTransaction, own: MaintenanceSlot,
  also: (transaction: Connection, batchId: string) => Promise<void>, signal?: AbortSignal,
): Promise<string | null> {
  return sendMaintenanceTransaction(context, kind, payload, gasLimit, own, also, signal);
}

async function sendMaintenanceTransaction(
  context: LaneContext, purpose: 'filler' | ReporterKind, payload: Payload, gasLimit: bigint, { nonce, fees, headNumber }: MaintenanceSlot,
  also: ((transaction: Connection, batchId: string) => Promise<void>) | undefined, signal?: AbortSignal,
): Promise<string | null> {
  const { database, lane, system, signer } = context;
  const signed = await signer.sign({ nonce, payload, gasLimit, fees }, signal);
  const batchId = `gb_${system.random.bytes(12).toString('base64url')}`;
  // `cancels` marks fillers as empty transfers already, so `decideLane` does not cancel them again.
  const transaction = { ...signed, fees, cancels: purpose === 'filler', headNumber, at: new Date(system.clock.now()) };
  const stored = await storeMaintenance(database, lane, {
    batchId, purpose, nonce, payload, gasLimit, transaction, ...(also === undefined ? {} : { also: (within) => also(within, batchId) }),
  });
  if (!stored) return null;
  await giveToNode(context, batchId, signed, signal);
  return batchId;
}
