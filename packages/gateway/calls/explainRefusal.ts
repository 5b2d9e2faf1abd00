import type { Operation } from '@vouch/chain/messages/operation';
import type { GatewayErrorCode } from '../errors/gatewayErrors.ts';

/** The ending of an operation that the contract refused. */
export interface Refusal {
  state: 'failed' | 'expired';
  code: GatewayErrorCode;
  /** Cause and remedy, for the operator who sent the message. */
  reason: string;
}

type Explain = (operation: Operation, chainTime: number) => Refusal;

/**
 * Explains a revert reason to the message's signer.
 * @param said the contract's revert reason; null if it gave none
 * @param chainTime time of the block of the refusal, seconds since 1970
 */
export function explainRefusal(operation: Operation, said: string | null, chainTime: number): Refusal {
  const explain = said === null ? undefined : reasons.get(said);
  if (explain !== undefined) return explain(operation, chainTime);
  const what = said === null ? 'without a reason; it may have run out of gas' : `with: ${said}`;
  return { state: 'failed', code: 'contract-refused', reason: `The contract refused the message ${what}.` };
}

/** Explanations by revert reason. Vouch's contract and its predecessor use the same reasons. */
const reasons: ReadonlyMap<string, Explain> = new Map(Object.entries({
  'Invalid expiredAt': explainExpiry,
  'Invalid signature S': fails('signature-invalid', 's is in the upper half of its range, which the contract does not take. Sign with a library that makes canonical signatures.'),
  'signer not match': fails('signature-refused', 'The contract recovers another signer from the message: its domain is not the one that the gateway checked against.'),
  'Digest already used': fails('message-used', 'The contract has carried this very message out already.'),
  'No delegationWeights': fails('no-weight', 'No license is held by the signer or delegated to it. Delegate one and sign again.'),
  'Already enter': fails('already-active', 'The node is in the active set already.'),
  'Less weights': fails('replaced-too-heavy', 'The active set is full, and the node to be replaced has at least as much weight. Ask for a lighter one and sign again.'),
  'Replaced node is not active': fails('replaced-not-active', 'The active set is full, and the node to be replaced is not in it. Ask for one that is and sign again.'),
  'Already exit': fails('not-active', 'The node is not in the active set any more.'),
  'Not register': fails('signer-unregistered', 'The signer has never entered. Enter first.'),
  'Not meet min commission rate modify interval': fails('commission-too-soon', 'The commission was changed too recently to be changed again.'),
  'Modify too large at one time': fails('commission-step-too-large', 'The commission may not rise that much at once. Raise it in steps.'),
  'Value is too large': fails('commission-too-large', 'The commission is over 100 %.'),
  'Attestation not exist': fails('attestation-unknown', 'The contract has no attestation of this id.'),
  'Waiting vrf': fails('selection-pending', 'No nodes were chosen for the attestation yet. Send the same message again when they are.'),
  'Deadline passed': () => ({
    state: 'expired', code: 'report-deadline-passed',
    reason: 'The deadline for reports on the attestation passed before the report reached the chain. Report sooner next time.',
  }),
  'Unknown result': fails('result-invalid', 'The result is none of 0, 1 and 2.'),
  'Malformed entry': fails('message-invalid', 'The contract cannot read the entry.'),
  'Not active': fails('not-active', 'The node is not in the active set, so its report does not count.'),
  'No weights': fails('no-weight', 'No license counts for the node any more, so its report does not count.'),
  'Not chosen': fails('not-chosen', 'The node is not at this place of the list of those chosen for the attestation.'),
  'Already verify': fails('already-reported', 'The node has reported on the attestation already.'),
} satisfies Record<string, Explain>));

function fails(code: GatewayErrorCode, reason: string): Explain {
  return () => ({ state: 'failed', code, reason });
}

function explainExpiry(operation: Operation, chainTime: number): Refusal {
  if (operation.kind === 'report') return { state: 'failed', code: 'deadline-passed', reason: 'The message expired before it reached the chain. Sign a new one.' };
  return operation.expiredAt < BigInt(chainTime)
    ? { state: 'expired', code: 'deadline-passed', reason: `The message expired at ${operation.expiredAt}, before it reached the chain at ${chainTime}. Sign a new one.` }
    : { state: 'failed', code: 'expires-too-late', reason: `The message expires at ${operation.expiredAt}, further ahead than the contract allows. Sign one that expires sooner.` };
}
