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
  const what = said === null ? 'without a reason; the call may have run out of gas' : `with: ${said}`;
  return { state: 'failed', code: 'contract-refused', reason: `The contract rejected the message ${what}.` };
}

/** Explanations by revert reason. Vouch's contract and its predecessor use the same reasons. */
const reasons: ReadonlyMap<string, Explain> = new Map(Object.entries({
  'Invalid expiredAt': explainExpiry,
  'Invalid signature S': fails('signature-invalid', 's is in the upper half of its range, which the contract rejects. Sign with a library that makes canonical (low-s) signatures.'),
  'signer not match': fails('signature-refused', 'The contract recovers another signer from the message, because its signing domain differs from the settings of the gateway.'),
  'Digest already used': fails('message-used', 'The contract already executed this message.'),
  'No delegationWeights': fails('no-weight', 'The signer has no license. Delegate a license to the signer and sign again.'),
  'Already enter': fails('already-active', 'The node is already in the active set.'),
  'Less weights': fails('replaced-too-heavy', 'The active set is full, and the node to replace has at least as much weight. Name a node with less weight and sign again.'),
  'Replaced node is not active': fails('replaced-not-active', 'The active set is full, and it does not contain the node to replace. Name a node of the active set and sign again.'),
  'Already exit': fails('not-active', 'The node is no longer in the active set.'),
  'Not register': fails('signer-unregistered', 'The signer has never entered the active set. Enter first.'),
  'Not meet min commission rate modify interval': fails('commission-too-soon', 'The commission was changed recently and cannot be changed yet.'),
  'Modify too large at one time': fails('commission-step-too-large', 'The commission rises too much at once. Raise the commission in several steps.'),
  'Value is too large': fails('commission-too-large', 'The commission exceeds 100 %.'),
  'Attestation not exist': fails('attestation-unknown', 'The contract has no attestation with this id.'),
  'Waiting vrf': fails('selection-pending', 'No nodes are chosen for the attestation yet. Send the same message again once nodes are chosen.'),
  'Deadline passed': () => ({
    state: 'expired', code: 'report-deadline-passed',
    reason: 'The deadline for reports on the attestation passed before the report reached the chain. Send future reports earlier.',
  }),
  'Unknown result': fails('result-invalid', 'The result is not 0, 1 or 2.'),
  'Malformed entry': fails('message-invalid', 'The contract cannot read the entry.'),
  'Not active': fails('not-active', 'The node is not in the active set, so its report does not count.'),
  'No weights': fails('no-weight', 'The node no longer has a license, so its report does not count.'),
  'Not chosen': fails('not-chosen', 'The list of nodes chosen for the attestation has another node at this index.'),
  'Already verify': fails('already-reported', 'The node has already reported on the attestation.'),
} satisfies Record<string, Explain>));

function fails(code: GatewayErrorCode, reason: string): Explain {
  return () => ({ state: 'failed', code, reason });
}

function explainExpiry(operation: Operation, chainTime: number): Refusal {
  if (operation.kind === 'report') return { state: 'failed', code: 'deadline-passed', reason: 'The message expired before it reached the chain. Sign a new message.' };
  return operation.expiredAt < BigInt(chainTime)
    ? { state: 'expired', code: 'deadline-passed', reason: `The message expired at ${operation.expiredAt}, before it reached the chain at ${chainTime}. Sign a new message.` }
    : { state: 'failed', code: 'expires-too-late', reason: `The message expires at ${operation.expiredAt}, later than the contract allows. Sign a message that expires earlier.` };
}
