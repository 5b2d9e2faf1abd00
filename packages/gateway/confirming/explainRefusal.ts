import type { Operation } from '@vouch/chain/messages/operation';
import type { GatewayErrorCode } from '../errors.ts';

/** How an operation ends that the contract refuses. */
export interface Refusal {
  state: 'failed' | 'expired';
  code: GatewayErrorCode;
  /** What, why, and what to do, for the operator who sent it. */
  reason: string;
}

/** The contract's words, and what they mean for who signed. `{}` stands for a value of the operation. */
const meanings: Readonly<Record<string, { code: GatewayErrorCode; reason: string }>> = {
  'Invalid signature S': { code: 'signature-refused', reason: 'The contract does not take the signature: its s is in the upper half. Sign again with a library that makes low-s signatures.' },
  'signer not match': {
    code: 'signature-refused',
    reason: 'The contract recovers another signer from the signature: its domain or chain id is not the one that the message was signed for. Compare the domain with GET /gateway/info.',
  },
  'No delegationWeights': { code: 'no-weight', reason: 'No license is held by the signer or delegated to it. Delegate a license to the signing address, then sign again.' },
  'Already enter': { code: 'already-active', reason: 'The signer is in the active set already. Nothing needs to be done.' },
  'Less weights': { code: 'replaced-too-heavy', reason: 'The active set is full, and the node named in the message has at least as much delegation as the signer. Ask GET /explorer_alphanet/replaced_node for the lightest node and sign again.' },
  'Replaced node is not active': { code: 'replaced-not-active', reason: 'The active set is full, and the node named in the message is not in it. Ask GET /explorer_alphanet/replaced_node and sign again.' },
  'Already exit': { code: 'not-active', reason: 'The signer is not in the active set, so it cannot exit. Nothing needs to be done.' },
  'Not register': { code: 'signer-unregistered', reason: 'The signer never entered and has no license. Delegate a license to it or enter first, then sign again.' },
  'Not meet min commission rate modify interval': { code: 'commission-too-soon', reason: 'The commission of the signer was changed too recently. Sign again when the interval since the last change has passed.' },
  'Modify too large at one time': { code: 'commission-step-too-large', reason: 'The message raises the commission by more than one change may. Raise it in steps; lowering is free.' },
  'Value is too large': { code: 'commission-too-large', reason: 'A commission is at most 10000, which is 100 %. Sign a smaller one.' },
  'Attestation not exist': { code: 'attestation-unknown', reason: 'The contract does not know the attestation. Report with the id from the event of this chain.' },
  'Waiting vrf': { code: 'selection-pending', reason: 'No nodes are chosen for the attestation yet. Wait for the event ConfirmVrfNodes and send the same message again.' },
  'Not active': { code: 'not-active', reason: 'The signer is not in the active set, so its reports do not count. Enter first.' },
  'No weights': { code: 'no-weight', reason: 'No license is held by the signer or delegated to it any more. Delegate one to the signing address.' },
  'Already verify': { code: 'already-reported', reason: 'The signer has reported on the attestation already, and only the first report counts. Nothing needs to be done.' },
  'Not chosen': { code: 'not-chosen', reason: 'The node of the signer does not stand at the index of the message among those chosen for the attestation. Report only where ConfirmVrfNodes lists the node, with its position there.' },
  'Unknown result': { code: 'result-invalid', reason: 'A result is 0 (valid), 1 (invalid) or 2 (malicious). Sign one of them.' },
};

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
  const meaning = said === null ? undefined : meanings[said];
  if (meaning !== undefined) return { state: 'failed', ...meaning };
  return {
    state: 'failed', code: 'contract-refused',
    reason: said === null ? 'The contract refused the message without a reason.' : `The contract refused the message, saying "${said}".`,
  };
}
