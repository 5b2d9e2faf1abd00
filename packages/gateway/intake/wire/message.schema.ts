import type { Operation } from '@vouch/chain/messages/operation';
import { Type, type TObject } from 'typebox';

/** Maximum body size in bytes; a message has a few hundred bytes. */
export const maxBodyBytes = 16 * 1024;

const hex = (least: number, most: number) => `^(0[xX])?[0-9a-fA-F]{${least},${most}}$`;
const address = (description: string) => Type.String({ pattern: hex(40, 40), description: `${description} 40 hex digits after 0x.` });
const expiredAt = Type.Integer({ minimum: 0, description: 'Seconds since 1970; at least one minute and by default at most six hours after the time of the chain.' });

const signature = {
  signer: address('Ethereum address of the signer.'),
  v: Type.Integer({ description: '27 or 28.' }),
  r: Type.String({ pattern: hex(1, 64), description: '64 hex digits.' }),
  s: Type.String({ pattern: hex(1, 64), description: '64 hex digits; the value must be in the lower half of its range.' }),
};

/**
 * The documented body of each message, for the API description only; `parseMessage` parses the bodies and accepts more
 * spellings.
 */
export const messageBodies: Readonly<Record<Operation['kind'], TObject>> = {
  enter: Type.Object({
    replaced_node: address('The node to replace. Used only if the active set is full; send the zero address otherwise.'), expired_at: expiredAt, ...signature,
  }, { title: 'EnterRequest' }),
  exit: Type.Object({ expired_at: expiredAt, ...signature }, { title: 'ExitRequest' }),
  commission: Type.Object({
    commission_rate: Type.Integer({ minimum: 0, maximum: 10_000, description: 'Commission in hundredths of a percent: 500 is 5 %.' }),
    expired_at: expiredAt, ...signature,
  }, { title: 'CommissionRequest' }),
  claimer: Type.Object({ claimer: address('Ethereum address that receives the rewards.'), expired_at: expiredAt, ...signature }, { title: 'ClaimerRequest' }),
  report: Type.Object({
    attestation_id: Type.String({ pattern: hex(64, 64), description: '32 bytes: 64 hex digits.' }),
    result: Type.Integer({ minimum: 0, maximum: 2, description: '0 valid, 1 invalid, 2 malicious.' }),
    index: Type.Integer({ minimum: 0, description: 'Position of the node in the list of chosen nodes, from 0.' }),
    ...signature,
  }, { title: 'ReportRequest' }),
};

const nothing = Type.Null({ description: 'The answer in the format of deployed node programs; always used for a report.' });

/** The answer to an accepted message. */
export const AcceptedAnswer = Type.Object({
  code: Type.Integer({ description: '0.' }),
  msg: Type.String({ description: '`ok`.' }),
  data: Type.Union([
    Type.Object({
      request_id: Type.String({ description: 'For GET /gateway/requests/{request_id}.' }),
      status: Type.String({ description: '`verified`, or the current status of a repeated message.' }),
      tx_hash: Type.Union([Type.String(), Type.Null()], { description: 'Null until the transaction is sent.' }),
      note: Type.Optional(Type.String({ description: 'How the gateway interpreted a value that is easily mistaken.' })),
    }),
    nothing,
  ]),
}, { title: 'AcceptedMessage', examples: [{ code: 0, msg: 'ok', data: { request_id: 'gr_9c0f5e2d3f6a1c7b', status: 'verified', tx_hash: null } }] });

/** The answer to a message that is not accepted. */
export const FailureAnswer = Type.Object({
  error: Type.String({ description: 'The problem, with the value, and how to fix it.' }),
  code: Type.Union([Type.String(), Type.Integer()], { description: 'Stable error code with a page under /docs/errors; for bodies with camelCase keys, the HTTP status.' }),
  reason: Type.String({ description: 'The stable error code.' }),
  message: Type.String({ description: 'The same text as `error`.' }),
}, { title: 'MessageFailure', examples: [{
    error: 'expired_at is 1772443800, which is 10 seconds after the time of the chain; a message needs at least 60 seconds.', code: 'expires-too-soon',
    reason: 'expires-too-soon', message: 'expired_at is 1772443800, which is 10 seconds after the time of the chain; a message needs at least 60 seconds.',
  }] });

/** Headers that a message requires if `VOUCH_GATEWAY_HEADERS` is `strict`. */
export const MessageHeaders = Type.Object({
  Origin: Type.String({ maxLength: 256, description: 'Origin of the message.' }),
  'User-Agent': Type.String({ maxLength: 256 }),
  'x-app-id': Type.String({ maxLength: 256, description: 'Application that sends the message.' }),
});

/** The same headers, optional, if `VOUCH_GATEWAY_HEADERS` is `lenient`. */
export const OptionalMessageHeaders = Type.Partial(MessageHeaders);
