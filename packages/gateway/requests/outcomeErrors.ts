import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** Why an accepted message ended as it did, where no rule of the contract says it already. They stand in `reason.code` of its record. */
export const outcomeErrors = {
  unchanged: {
    status: 400,
    title: 'Nothing was to be changed',
    cause: 'The claimer or commission is what the message asks for, or will be by a message before it; no transaction was needed.',
    remedy: 'Nothing needs to be done. The request counts as confirmed.',
  },
  'deadline-passed': {
    status: 400,
    title: 'The message expired before it reached the chain',
    cause: 'The time of the chain passed `expired_at`, or the deadline of the attestation, while the message waited.',
    remedy: 'Sign a new message. `vouch doctor` says whether the relayer or the chain holds messages up.',
  },
  'message-used': {
    status: 400,
    title: 'The message has taken effect already',
    cause: 'The contract has carried this very message out, in a transaction that is not ours.',
    remedy: 'Nothing needs to be done.',
  },
  'contract-refused': {
    status: 400,
    title: 'The contract refuses the message',
    cause: 'The simulation or the transaction of the message failed with a reason that the gateway has no rule for.',
    remedy: 'The sentence carries what the contract said.',
  },
  'signature-refused': {
    status: 400,
    title: 'The contract does not accept the signature',
    cause: 'The contract recovers another signer: its domain or its chain id is not what the gateway is configured with.',
    remedy: 'Compare VOUCH_DOMAIN_NAME, VOUCH_DOMAIN_VERSION and VOUCH_CHAIN_ID with the contract; `vouch doctor` does.',
  },
} as const satisfies ErrorEntries;
