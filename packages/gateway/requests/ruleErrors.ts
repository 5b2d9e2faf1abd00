import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** The contract's rules, as far as they can be told before a transaction is sent; also the reasons why an accepted message fails. */
export const ruleErrors = {
  'signer-unregistered': {
    status: 400,
    title: 'The signer is not a node',
    cause: 'No license is held by the signer or delegated to it, and it never entered.',
    remedy: 'Delegate a license to the signing address, or sign with the key that holds one.',
  },
  'no-weight': {
    status: 400,
    title: 'The signer has no license',
    cause: 'No license is held by the signer or delegated to it any more, and the gateway pays only for keys that a license backs, except for reports that a contract still takes.',
    remedy: 'Delegate a license to the signing address, or send the transaction to the contract directly.',
  },
  'already-active': {
    status: 400,
    title: 'The node is in the active set',
    cause: 'The signer wants to enter, but is in the active set or on its way there.',
    remedy: 'Nothing needs to be done; exit first if it is meant to enter anew.',
  },
  'not-active': {
    status: 400,
    title: 'The node is not in the active set',
    cause: 'The signer wants to exit, but is not in the active set; or it wants to report, and the contract takes reports only from nodes in the set.',
    remedy: 'Enter first.',
  },
  'replaced-not-active': {
    status: 400,
    title: 'The node to replace is not in the active set',
    cause: 'The active set is full, and the node that the message names is not in it.',
    remedy: 'Ask GET /explorer_alphanet/replaced_node for a node that can be replaced and sign again.',
  },
  'replaced-too-heavy': {
    status: 400,
    title: 'The node to replace has at least as much delegation',
    cause: 'The active set is full, and a newcomer needs more delegation than the node that it replaces.',
    remedy: 'Ask GET /explorer_alphanet/replaced_node for the lightest node and sign again.',
  },
  'commission-too-large': {
    status: 400,
    title: 'The commission is over its maximum',
    cause: 'A commission is 0 to 10000, in hundredths of a percent.',
    remedy: 'Sign a rate of at most 10000, which is 100 %.',
  },
  'commission-too-soon': {
    status: 400,
    title: 'The commission was changed recently',
    cause: 'A commission may be changed once in the interval that the contract sets, a week unless its settings say otherwise.',
    remedy: 'Wait until the time that the sentence names.',
  },
  'commission-step-too-large': {
    status: 400,
    title: 'The commission rises too much at once',
    cause: 'One change may raise a commission by 500 hundredths of a percent unless the settings of the contract say otherwise; lowering is free.',
    remedy: 'Raise it in steps.',
  },
  'result-invalid': {
    status: 400,
    title: 'The result is not one',
    cause: 'A result is 0 (valid), 1 (invalid) or 2 (malicious).',
    remedy: 'Sign one of them.',
  },
  'attestation-unknown': {
    status: 400,
    title: 'The attestation is not known',
    cause: 'The contract has no attestation of this id.',
    remedy: 'Use the id from the event of the contract at this chain; where the event is a few seconds old, try again.',
  },
  'report-deadline-passed': {
    status: 400,
    title: 'The time for reports is over',
    cause: 'Reports of an attestation are taken until its deadline, 30 minutes unless the settings of the contract say otherwise.',
    remedy: 'Nothing can be done for this one; report sooner.',
  },
  'selection-pending': {
    status: 400,
    title: 'No nodes are chosen for the attestation yet',
    cause: 'The random selection of the nodes that report has not arrived.',
    remedy: 'Wait for the event ConfirmVrfNodes and send the same message again.',
  },
  'not-chosen': {
    status: 400,
    title: 'The node is not chosen for the attestation',
    cause: 'The list of chosen nodes does not contain the node of the signer.',
    remedy: 'Report only where the event ConfirmVrfNodes lists the id of the node.',
  },
  'index-invalid': {
    status: 400,
    title: 'The index is not that of the node',
    cause: '`index` is beyond the list of chosen nodes, or another node stands there.',
    remedy: 'Sign the position of the node in the list of chosen nodes, counted from 0.',
  },
  'already-reported': {
    status: 400,
    title: 'The node has reported on the attestation',
    cause: 'The contract has a report of the signer on this attestation, and takes no second one.',
    remedy: 'Nothing needs to be done.',
  },
} as const satisfies ErrorEntries;
