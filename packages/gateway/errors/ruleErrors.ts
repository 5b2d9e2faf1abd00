import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** The contract's rules that can be checked before a transaction is sent; also the reasons why an accepted message fails. */
export const ruleErrors = {
  'signer-unregistered': {
    status: 400,
    title: 'The signer is not a node',
    cause: 'The signer holds no license, no license is delegated to it, and it never entered the active set.',
    remedy: 'Delegate a license to the Ethereum address of the signer, or sign with the key that holds a license.',
  },
  'no-weight': {
    status: 400,
    title: 'The signer has no license',
    cause: 'The signer no longer holds a license, and no license is delegated to it. The gateway pays only for signers with a license, except for reports that the contract still accepts.',
    remedy: 'Delegate a license to the Ethereum address of the signer, or send the transaction to the contract directly.',
  },
  'already-active': {
    status: 400,
    title: 'The node is already active',
    cause: 'The signer asks to enter, but is already in the active set or about to enter.',
    remedy: 'No action is needed. To enter again, exit first. If a reorganization of the chain removes the entry, send the message again.',
  },
  'not-active': {
    status: 400,
    title: 'The node is not in the active set',
    cause: 'The signer asks to exit, but is not in the active set; or the signer reports, and the contract accepts reports only from nodes in the active set.',
    remedy: 'Enter the active set first. If a reorganization of the chain removes an exit, send the message again.',
  },
  'replaced-not-active': {
    status: 400,
    title: 'The node to replace is not in the active set',
    cause: 'The active set is full, and it does not contain the node that the message names.',
    remedy: 'Request GET /explorer_alphanet/replaced_node for a node that can be replaced, and sign again.',
  },
  'replaced-too-heavy': {
    status: 400,
    title: 'The node to replace has at least as much delegation',
    cause: 'The active set is full. A new node needs more delegation than the node that it replaces.',
    remedy: 'Request GET /explorer_alphanet/replaced_node for the node with the least delegation, and sign again.',
  },
  'commission-too-large': {
    status: 400,
    title: 'The commission exceeds the maximum',
    cause: 'A commission ranges from 0 to 10000, in hundredths of a percent.',
    remedy: 'Sign a commission of at most 10000, which is 100 %.',
  },
  'commission-too-soon': {
    status: 400,
    title: 'The commission was changed recently',
    cause: 'The contract allows one change of the commission per interval, a week by default.',
    remedy: 'Wait until the time in the message of the answer.',
  },
  'commission-step-too-large': {
    status: 400,
    title: 'The commission rises too much at once',
    cause: 'One change can raise a commission by at most 500 hundredths of a percent (5 percentage points) by default. Lowering has no limit.',
    remedy: 'Raise the commission in several steps.',
  },
  'result-invalid': {
    status: 400,
    title: 'The result is not valid',
    cause: 'A result is 0 (valid), 1 (invalid) or 2 (malicious).',
    remedy: 'Sign one of these values.',
  },
  'attestation-unknown': {
    status: 400,
    title: 'The attestation does not exist',
    cause: 'The contract has no attestation with this id.',
    remedy: 'Use the id from the event of the contract on this chain. If the event is only seconds old, try again.',
  },
  'report-deadline-passed': {
    status: 400,
    title: 'The deadline for reports has passed',
    cause: 'The contract accepts reports of an attestation until its deadline, after 30 minutes by default.',
    remedy: 'This report can no longer be submitted. Send future reports earlier.',
  },
  'selection-pending': {
    status: 400,
    title: 'No nodes are chosen for the attestation yet',
    cause: 'The random number that chooses the reporting nodes has not arrived.',
    remedy: 'Wait for the event ConfirmVrfNodes and send the same message again.',
  },
  'not-chosen': {
    status: 400,
    title: 'The node is not chosen for the attestation',
    cause: 'The list of chosen nodes does not contain the node of the signer.',
    remedy: 'Report only attestations for which the event ConfirmVrfNodes lists the id of the node.',
  },
  'index-invalid': {
    status: 400,
    title: 'The index does not match the node',
    cause: '`index` is outside the list of chosen nodes, or the list has another node at this index.',
    remedy: 'Sign the index of the node in the list of chosen nodes, starting at 0.',
  },
  'already-reported': {
    status: 400,
    title: 'The node has already reported',
    cause: 'The contract has a report of the signer for this attestation and accepts only one.',
    remedy: 'No action is needed. If a reorganization of the chain removes that report, send the message again.',
  },
} as const satisfies ErrorEntries;
