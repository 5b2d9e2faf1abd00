import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** Outcomes of accepted messages that no contract rule covers; the record of a request has the code in `reason.code`. */
export const outcomeErrors = {
  unchanged: {
    status: 400,
    title: 'The message changes nothing',
    cause: 'The claimer or commission already has the requested value, or will have it through an earlier message. The message needed no transaction.',
    remedy: 'No action is needed. The request counts as confirmed.',
  },
  'deadline-passed': {
    status: 400,
    title: 'The message expired before it reached the chain',
    cause: 'The time of the chain passed `expired_at`, or the deadline of the attestation, while the message waited.',
    remedy: 'Sign a new message. `vouch doctor` shows whether the relayer or the chain delays messages.',
  },
  'message-used': {
    status: 400,
    title: 'The message already took effect',
    cause: 'The contract executed this message in a transaction that the gateway did not send.',
    remedy: 'No action is needed.',
  },
  'contract-refused': {
    status: 400,
    title: 'The contract rejects the message',
    cause: 'The simulation or the transaction of the message failed with an error that the gateway does not check in advance.',
    remedy: 'The detail contains the error of the contract.',
  },
  overtaken: {
    status: 400,
    title: 'A later message took the place of the message',
    cause: 'Another program used the nonce of the transaction with the key of the relayer, so the transaction cannot be mined, and a later message of the signer was sent meanwhile. Sent again, the message would take effect after it.',
    remedy: 'Sign a new message if the change is still needed. `vouch doctor` names a relayer key that another program uses.',
  },
  'signature-refused': {
    status: 400,
    title: 'The contract does not accept the signature',
    cause: 'The contract recovers another signer, because its signing domain or chain id differs from the settings of the gateway.',
    remedy: 'Run `vouch doctor`, which compares VOUCH_DOMAIN_NAME, VOUCH_DOMAIN_VERSION and VOUCH_CHAIN_ID with the contract.',
  },
} as const satisfies ErrorEntries;
