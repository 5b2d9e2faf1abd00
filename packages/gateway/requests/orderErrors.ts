import type { ErrorEntries } from '@vouch/platform/errors/problem';

/** Why an operator's order about a transaction cannot be taken. */
export const orderErrors = {
  'unknown-transaction': {
    status: 404,
    title: 'There is no such transaction',
    cause: 'No transaction or order of this gateway has the id of the request.',
    remedy: 'List what waits with GET /gateway/transactions or `vouch gateway transactions`; each has its `batch_id`.',
  },
  'transaction-not-waiting': {
    status: 409,
    title: 'The transaction no longer waits',
    cause: 'It is in a block already, was given up, or has no nonce yet: nothing can take its place.',
    remedy: 'Look at GET /gateway/batches for what became of it; messages that did not take effect go back to the queue by themselves.',
  },
  'order-under-way': {
    status: 409,
    title: 'Another order for the transaction waits',
    cause: 'The writer of the key has not carried out the order before yet.',
    remedy: 'Read that order; send the new one when it is answered. Where it stays waiting, no process writes the key: `vouch doctor` says why.',
  },
} as const satisfies ErrorEntries;
