import type { GatewayErrorCode } from '../errors.ts';

/** Why a message failed: a code of the catalogue and a sentence for its operator. */
export interface FailureReason {
  code: GatewayErrorCode;
  sentence: string;
}

/** What the contract says, and what that means. Both contracts, ours and the one before it, use these words. */
const reasons: Readonly<Record<string, FailureReason>> = {
  'Invalid expiredAt': { code: 'deadline-passed', sentence: 'The message expired before it reached the chain. Sign a new one.' },
  'Invalid signature S': { code: 'signature-invalid', sentence: 's is in the upper half of its range, which the contract does not take. Sign with a library that makes canonical signatures.' },
  'signer not match': { code: 'signature-refused', sentence: 'The contract recovers another signer from the message: its domain is not the one that the gateway checked against.' },
  'Digest already used': { code: 'message-used', sentence: 'The contract has carried this very message out already.' },
  'No delegationWeights': { code: 'no-weight', sentence: 'No license is held by the signer or delegated to it. Delegate one and sign again.' },
  'Already enter': { code: 'already-active', sentence: 'The node is in the active set already.' },
  'Less weights': { code: 'replaced-too-heavy', sentence: 'The active set is full, and the node to be replaced has at least as much weight. Ask for a lighter one and sign again.' },
  'Replaced node is not active': { code: 'replaced-not-active', sentence: 'The active set is full, and the node to be replaced is not in it. Ask for one that is and sign again.' },
  'Already exit': { code: 'not-active', sentence: 'The node is not in the active set any more.' },
  'Not register': { code: 'signer-unregistered', sentence: 'The signer has never entered. Enter first.' },
  'Not meet min commission rate modify interval': { code: 'commission-too-soon', sentence: 'The commission was changed too recently to be changed again.' },
  'Modify too large at one time': { code: 'commission-step-too-large', sentence: 'The commission may not rise that much at once. Raise it in steps.' },
  'Value is too large': { code: 'commission-too-large', sentence: 'The commission is over 100 %.' },
  'Attestation not exist': { code: 'attestation-unknown', sentence: 'The contract has no attestation of this id.' },
  'Waiting vrf': { code: 'selection-pending', sentence: 'No nodes were chosen for the attestation yet. Send the same message again when they are.' },
  'Deadline passed': { code: 'report-deadline-passed', sentence: 'The deadline for reports on the attestation has passed.' },
  'Unknown result': { code: 'result-invalid', sentence: 'The result is none of 0, 1 and 2.' },
  'Malformed entry': { code: 'message-invalid', sentence: 'The contract cannot read the entry.' },
  'Not active': { code: 'not-active', sentence: 'The node is not in the active set, so its report does not count.' },
  'No weights': { code: 'no-weight', sentence: 'No license counts for the node any more, so its report does not count.' },
  'Not chosen': { code: 'not-chosen', sentence: 'The node is not at this place of the list of those chosen for the attestation.' },
  'Already verify': { code: 'already-reported', sentence: 'The node has reported on the attestation already.' },
};

/**
 * What a refusal of the contract means to the operator.
 * @param said the contract's own text; null where it gave none
 */
export function reasonOfRevert(said: string | null): FailureReason {
  const known = said === null ? undefined : reasons[said];
  if (known !== undefined) return known;
  const what = said === null ? 'without a reason; it may have run out of gas' : `with: ${said}`;
  return { code: 'contract-refused', sentence: `The contract refused the message ${what}.` };
}
