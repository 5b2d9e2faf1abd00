import type { Connection } from '@vouch/platform/database/database';
import { Type, type Static } from 'typebox';
import { getAddress } from 'viem/utils';
import { gasAlone } from '../calls/operationCosts.ts';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import type { RequestRow } from '../requests/gatewayRequest.ts';
import { explainDelay, type ServesDeployment } from './explainDelay.ts';
import { findRequest, type NewRequest, type StoredRequest } from '../requests/requestStore.ts';
import { storeOperation, toHex } from '../requests/storedOperation.ts';
import { listAttempts } from './transactions.ts';
import { messageExample } from './record.examples.ts';

const time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

/** The record of a message, for anyone who has its id. */
export const RequestRecord = Type.Object({
  request_id: Type.String(),
  status: Type.String({ description: '`verified`, `batched`, `sent`, `mined`, and finally `confirmed`, `failed` or `expired`.' }),
  kind: Type.String({ description: '`enter`, `exit`, `commission`, `claimer` or `report`.' }),
  operation: Type.Record(Type.String(), Type.String(), { description: 'The signed fields, with numbers as text.' }),
  signer: Type.String(),
  digest: Type.String({ description: 'Digest of the signed message.' }),
  deployment: Type.String({ description: 'Chain, contract and the first digits of the hash of the first block.' }),
  deadline: Type.String({ description: 'Time of the chain after which the message cannot take effect.' }),
  reason: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: 'Why the message failed or expired, or why no transaction was needed.',
  }),
  waits_for: Type.Union([Type.String(), Type.Null()], { description: 'What delays the message: fees above the limit, a balance that is too low, a chain that does not answer, a key without a running gateway, a receipt that no endpoint returns, a contract or chain that is no longer served, or a block that must become final before the message ends.' }),
  times: Type.Object({
    received: time('When the gateway received the message.'),
    verified: time('When the signature and the rules of the contract were checked.'),
    simulated: time('When the message was simulated.'),
    batched: time('When the message became part of a transaction.'),
    sent: time('When the transaction was sent to the chain.'),
    mined: time('When the transaction was mined.'),
    ended: time('When the message was confirmed, failed or expired.'),
  }),
  as_of: time('Null if the record was just read. While the database does not answer: when this process last read or wrote the record. The record may have changed since, unless it is `confirmed`.'),
  batch_id: Type.Union([Type.String(), Type.Null()]),
  transactions: Type.Array(Type.Object({
    transaction_hash: Type.String(),
    batch_id: Type.String(),
    nonce: Type.Integer(),
    max_fee_gwei: Type.String(),
    created_at: Type.String(),
    sent_at: time('When the transaction was last sent to the chain.'),
    mined: Type.Boolean(),
    cancels: Type.Boolean({ description: 'Whether the transaction is empty because all messages of the original had expired.' }),
  }), { description: 'Every transaction that carried the message, including replacements; at most one takes effect.' }),
  gas: Type.Union([Type.Object({
    used: Type.Integer({ description: 'The share of this message; the shares of a transaction sum to its receipt.' }),
    alone: Type.Integer({ description: 'Gas of the same operation as a transaction of the signer.' }),
    saved: Type.Integer(),
    formula: Type.String(),
    cost_wei: Type.Union([Type.String(), Type.Null()], { description: 'Amount that the gateway paid, in wei.' }),
  }), Type.Null()]),
}, { title: 'Message', examples: [messageExample] });
export type RequestRecord = Static<typeof RequestRecord>;

/**
 * Reads the record of a request.
 * @param now milliseconds since 1970
 * @param retentionDays age in days after which ended records are removed; 0 if they are kept
 * @throws Problem `unknown-request`
 */
export async function describeRequest(
  connection: Connection, requestId: string, now: number, serves?: ServesDeployment, retentionDays = 0,
): Promise<RequestRecord> {
  const row = await findRequest(connection, requestId);
  if (row === null) {
    const removed = retentionDays === 0 ? '' : ` The gateway removes the record of a message ${retentionDays} days after the message has ended.`;
    throw gatewayErrors.problem('unknown-request', `No message with the id ${JSON.stringify(requestId.slice(0, 80))} is stored.${removed} If you lost the answer with the id, send the same message again: the gateway returns the first id.`);
  }
  return {
    request_id: row.request_id,
    status: row.state,
    kind: row.kind,
    operation: { ...row.operation },
    signer: getAddress(toHex(row.signer)),
    digest: toHex(row.digest),
    deployment: row.deployment,
    deadline: row.deadline.toISOString(),
    reason: row.reason_code === null ? null : { code: row.reason_code, message: row.reason ?? '' },
    waits_for: await explainDelay(connection, row, now, serves),
    times: timesOf(row),
    as_of: null,
    batch_id: row.batch_id,
    transactions: await listAttempts(connection, requestId),
    gas: gasOf(row),
  };
}

/** Builds the record of a message that was just accepted. */
export function describeAccepted(deployment: string, request: NewRequest, { requestId, state }: StoredRequest): RequestRecord {
  const ended = request.unchanged === null ? null : request.verifiedAt.toISOString();
  return {
    request_id: requestId,
    status: state,
    kind: request.operation.kind,
    operation: { ...storeOperation(request.operation) },
    signer: getAddress(toHex(request.signer)),
    digest: toHex(request.digest),
    deployment,
    deadline: request.deadline.toISOString(),
    reason: request.unchanged === null ? null : { code: 'unchanged', message: request.unchanged },
    waits_for: null,
    times: {
      received: request.receivedAt.toISOString(), verified: request.verifiedAt.toISOString(), simulated: null, batched: null, sent: null, mined: null, ended,
    },
    as_of: null,
    batch_id: null,
    transactions: [],
    gas: null,
  };
}

function timesOf(row: RequestRow): RequestRecord['times'] {
  const text = (time: Date | null): string | null => time?.toISOString() ?? null;
  return {
    received: text(row.received_at),
    verified: text(row.verified_at),
    simulated: text(row.simulated_at),
    batched: text(row.batched_at),
    sent: text(row.sent_at),
    mined: text(row.mined_at),
    ended: text(row.ended_at),
  };
}

function gasOf({ kind, gas_used: given, cost_wei: cost }: RequestRow): RequestRecord['gas'] {
  if (given === null) return null;
  const used = Number(given);
  const alone = gasAlone[kind];
  return {
    used,
    alone,
    saved: alone - used,
    formula: `saved = alone - used; alone = ${alone}, gas of one ${kind} that its signer sends itself; used = the share in the receipt of its batch`,
    cost_wei: cost,
  };
}
