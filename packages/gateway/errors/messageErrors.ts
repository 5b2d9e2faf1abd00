import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** Errors found before the chain is read, and faults of the gateway. */
export const messageErrors = {
  'chain-not-configured': {
    status: 400,
    title: 'The gateway has no chain',
    cause: 'The server runs without the settings for the chain, the contract and a relayer key.',
    remedy: 'Set VOUCH_CHAIN_RPC_URL, VOUCH_CHAIN_ID, VOUCH_CONTRACT_ADDRESS and VOUCH_RELAYER_KEYS, or start a local chain with `vouch serve --devnet`.',
  },
  'header-missing': {
    status: 400,
    title: 'A required header is missing',
    cause: 'Messages require the headers `Origin`, `User-Agent` and `x-app-id`, each with 1 to 256 characters.',
    remedy: 'Send all three headers. For clients that cannot, the operator of the gateway can set VOUCH_GATEWAY_HEADERS=lenient.',
  },
  'header-refused': {
    status: 400,
    title: 'The value of a header is not allowed',
    cause: 'The gateway accepts only certain values of `Origin` or `x-app-id`.',
    remedy: 'Use a value that the operator of the gateway allows (VOUCH_GATEWAY_ORIGINS, VOUCH_GATEWAY_APP_IDS).',
  },
  'message-unreadable': {
    status: 400,
    title: 'The body is not a message',
    cause: 'The body is missing, too large, nested too deeply, not JSON, or not an object.',
    remedy: 'Send a JSON object with the fields of the operation and the content type application/json.',
  },
  'message-invalid': {
    status: 400,
    title: 'A field of the message is missing or invalid',
    cause: 'A required field is missing, has the wrong type, or is out of range.',
    remedy: 'The message of the answer names each field with its value and the allowed values.',
  },
  'signature-invalid': {
    status: 400,
    title: 'The signature is not valid',
    cause: '`v` is neither 27 nor 28, `s` is in the upper half of its range, or no Ethereum address can be recovered from the signature.',
    remedy: 'Sign the typed data again with a library that makes canonical (low-s) signatures.',
  },
  'signer-mismatch': {
    status: 400,
    title: 'The signature does not match the signer',
    cause: 'Another key signed the message, the message was signed for another chain id, domain name or domain version, a field changed after signing, or the signer is a contract account, whose signatures (EIP-1271) the contract does not accept.',
    remedy: 'The answer names the part of the domain that differs if it is a common mistake: another chain id or version, no version, no chain id, or a verifying contract. Otherwise compare the domain with GET /gateway/info, and sign exactly the fields that you send.',
  },
  'wrong-deployment': {
    status: 400,
    title: 'The message is signed for another deployment of the gateway',
    cause: 'The gateway serves several chains or contracts, and the signature is valid for the signing domain of another deployment than the one at this URL.',
    remedy: 'Send the same message to the URL that the answer names. GET /gateway/info lists every deployment with its URL and signing domain.',
  },
  'message-expired': {
    status: 400,
    title: 'The message has expired',
    cause: '`expired_at` is before the current time of the chain.',
    remedy: 'Sign a new message with a later `expired_at`, in seconds since 1970.',
  },
  'expires-too-soon': {
    status: 400,
    title: 'The message expires too soon',
    cause: '`expired_at` is less than a minute after the time of the chain, which is too short to reach a block.',
    remedy: 'Sign a new message whose `expired_at` is at least one minute ahead and within the limit of the contract.',
  },
  'expires-too-late': {
    status: 400,
    title: 'The message expires too late',
    cause: '`expired_at` is further ahead than the contract allows, six hours by default.',
    remedy: 'Sign a new message with an earlier `expired_at`, in seconds, not milliseconds.',
  },
  quota: {
    status: 400,
    title: 'A quota of the gateway is exhausted',
    cause: 'The gateway limits the accepted messages per signer and hour. It also limits the gas per UTC day for each kind of message: per signer, per license and in total.',
    remedy: 'The answer names the exhausted quota. Wait for the time in `Retry-After`, or send the transaction to the contract directly.',
  },
  'signer-denied': {
    status: 400,
    title: 'The gateway does not serve this signer',
    cause: 'The signer is on the deny list of the gateway, or the gateway has an allow list without this signer.',
    remedy: 'Send the transaction to the contract directly, or ask the operator of the gateway.',
  },
  'unknown-request': {
    status: 404,
    title: 'The request does not exist',
    cause: 'No stored message has this id: the id is wrong, or the gateway has removed the record. It removes records of messages that ended more than `VOUCH_GATEWAY_RETENTION_DAYS` days ago.',
    remedy: 'Use the `request_id` that the gateway returned. If you lost the answer, send the same message again: the gateway returns the first id.',
  },
  'chain-unavailable': {
    status: 503,
    title: 'The chain is unavailable',
    cause: 'No RPC endpoint of the chain answers correctly. The gateway stored nothing of the message.',
    remedy: 'Send the same message again after the time in `Retry-After`. `vouch doctor` diagnoses problems of the endpoints.',
  },
  'gateway-overloaded': {
    status: 503,
    title: 'The gateway is overloaded',
    cause: 'Too many messages wait to be checked or stored. The gateway stored nothing of this message.',
    remedy: 'Send the same message again after the time in `Retry-After`.',
  },
} as const satisfies ErrorEntries;
