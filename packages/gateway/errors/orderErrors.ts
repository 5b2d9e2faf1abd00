import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** Errors of operators' orders about a transaction. */
export const orderErrors = {
  'unknown-transaction': {
    status: 404,
    title: 'The transaction does not exist',
    cause: 'No stored transaction or order has the id of the request. The gateway removes transactions that ended more than `VOUCH_GATEWAY_RETENTION_DAYS` days ago.',
    remedy: 'List the pending transactions with GET /gateway/transactions or `vouch gateway transactions`, and use the `batch_id` of one of them.',
  },
  'transaction-not-waiting': {
    status: 409,
    title: 'The transaction no longer waits',
    cause: 'The transaction is already in a block, was given up, or has no nonce yet, so it cannot be replaced.',
    remedy: 'GET /gateway/batches shows what became of the transaction. The gateway returns messages that did not take effect to the queue.',
  },
  'order-under-way': {
    status: 409,
    title: 'An order for the transaction is already pending',
    cause: 'The gateway that writes the relayer key has not yet carried out an earlier order for this transaction.',
    remedy: 'Poll the earlier order with GET /gateway/orders/{order_id}, and send the new order once the earlier one is answered. If it stays `waiting`, no gateway writes the key: `vouch doctor` says why.',
  },
} as const satisfies ErrorEntries;
