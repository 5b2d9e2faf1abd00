import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** What can be wrong with a message before the chain is asked, and what can be wrong with us. */
export const messageErrors = {
  'chain-not-configured': {
    status: 400,
    title: 'The gateway has no chain',
    cause: 'The server runs without the settings that name the chain, the contract and a key that pays.',
    remedy: 'Set VOUCH_CHAIN_RPC_URL, VOUCH_CHAIN_ID, VOUCH_CONTRACT_ADDRESS and VOUCH_RELAYER_KEYS, or start a local chain with `vouch serve --devnet`.',
  },
  'header-missing': {
    status: 400,
    title: 'A required header is missing',
    cause: 'Every message needs the headers Origin, User-Agent and x-app-id, each not empty and of at most 256 characters.',
    remedy: 'Send all three. The operator of the gateway may set VOUCH_GATEWAY_HEADERS=lenient for clients that cannot.',
  },
  'header-refused': {
    status: 400,
    title: 'A header has a value that is not accepted here',
    cause: 'The gateway accepts only some values of Origin or x-app-id.',
    remedy: 'Use a value that the operator of the gateway allows (VOUCH_GATEWAY_ORIGINS, VOUCH_GATEWAY_APP_IDS).',
  },
  'message-unreadable': {
    status: 400,
    title: 'The body is not a message',
    cause: 'The body is missing, too large, not JSON, nested too deeply, or not an object.',
    remedy: 'Send a small JSON object with the fields of the operation and the content type application/json.',
  },
  'message-invalid': {
    status: 400,
    title: 'A field of the message is missing or has a value that cannot be used',
    cause: 'A required field is absent, of the wrong type, or out of its range.',
    remedy: 'The sentence names each field with its value and what it may be.',
  },
  'signature-invalid': {
    status: 400,
    title: 'The signature is not valid',
    cause: '`v` is neither 27 nor 28, `s` is in the upper half of its range, or no address follows from the signature.',
    remedy: 'Sign the typed data again with a library that makes canonical (low-s) signatures.',
  },
  'signer-mismatch': {
    status: 400,
    title: 'The signature is not of the signer',
    cause: 'The message was signed by another key, or for another chain id, domain name or domain version, or a field was changed after signing.',
    remedy: 'Compare the domain with GET /gateway/info, then sign exactly the fields that are sent.',
  },
  'wrong-deployment': {
    status: 400,
    title: 'The message is signed for another deployment of the gateway',
    cause: 'The gateway serves several chains or contracts, and the signature is right for another signing domain than that of the address to which the message was sent.',
    remedy: 'Send the same message to the address that the sentence names; GET /gateway/info lists every deployment with its address and signing domain.',
  },
  'message-expired': {
    status: 400,
    title: 'The message has expired',
    cause: '`expired_at` is before the time of the chain.',
    remedy: 'Sign a new message with a later `expired_at`, in seconds since 1970.',
  },
  'expires-too-soon': {
    status: 400,
    title: 'The message expires too soon',
    cause: '`expired_at` is less than a minute after the time of the chain, which is too short to reach a block.',
    remedy: 'Sign a new message whose `expired_at` is between one minute and the longest time that the contract allows ahead.',
  },
  'expires-too-late': {
    status: 400,
    title: 'The message expires too late',
    cause: '`expired_at` is further ahead than the contract allows, six hours unless its settings say otherwise.',
    remedy: 'Sign a new message with an earlier `expired_at`; it is in seconds, not milliseconds.',
  },
  quota: {
    status: 400,
    title: 'A quota of the gateway is used up',
    cause: 'The gateway accepts a limited number of messages per signer and hour, and pays a limited amount of gas per UTC day for each kind of message: for a signer, for a license that backs signers, and for all signers together.',
    remedy: 'The message names the quota that is used up. Wait as long as `Retry-After` says, or send the transaction to the contract directly.',
  },
  'signer-denied': {
    status: 400,
    title: 'The gateway does not serve this signer',
    cause: 'The signer is on the deny list of the gateway, or the gateway has an allow list and the signer is not on it.',
    remedy: 'Send the transaction to the contract directly, or ask the operator of the gateway.',
  },
  'unknown-request': {
    status: 404,
    title: 'The request is not known',
    cause: 'No accepted message has this id.',
    remedy: 'Use the `request_id` that the acceptance answered; where the answer was lost, send the same message again.',
  },
  'chain-unavailable': {
    status: 503,
    title: 'The chain cannot be read',
    cause: 'No endpoint of the chain answers as it should. Nothing of the message was stored.',
    remedy: 'Send the same message again after the time in `Retry-After`; `vouch doctor` says what is wrong.',
  },
  'gateway-overloaded': {
    status: 503,
    title: 'The gateway has more messages than it can take',
    cause: 'Too many messages wait to be checked or stored. Nothing of this one was stored.',
    remedy: 'Send the same message again after the time in `Retry-After`.',
  },
} as const satisfies ErrorEntries;
