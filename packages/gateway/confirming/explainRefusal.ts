import type { Operation } from '@vouch/chain/messages/operation';
import type { GatewayErrorCode } from '../errors.ts';
import { reasonOfRevert } from '../requests/revertReasons.ts';

/** How an operation ends that the contract refuses. */
export interface Refusal {
  state: 'failed' | 'expired';
  code: GatewayErrorCode;
  /** What, why, and what to do, for the operator who sent it. */
  reason: string;
}

/**
 * The contract's reason as a sentence for whoever signed.
 * @param said the contract's words; null where it gave none
 * @param chainTime of the block in which it was refused, seconds since the epoch
 */
export function explainRefusal(operation: Operation, said: string | null, chainTime: number): Refusal {
  if (said === 'Deadline passed') {
    return { state: 'expired', code: 'report-deadline-passed', reason: 'The deadline for reports on the attestation passed before the report reached the chain. Report sooner next time.' };
  }
  if (said === 'Invalid expiredAt' && operation.kind !== 'report') {
    return operation.expiredAt < BigInt(chainTime)
      ? { state: 'expired', code: 'deadline-passed', reason: `The message expired at ${operation.expiredAt}, before it reached the chain at ${chainTime}. Sign a new one.` }
      : { state: 'failed', code: 'expires-too-late', reason: `The message expires at ${operation.expiredAt}, further ahead than the contract allows. Sign one that expires sooner.` };
  }
  const { code, sentence } = reasonOfRevert(said);
  return { state: 'failed', code, reason: sentence };
}
