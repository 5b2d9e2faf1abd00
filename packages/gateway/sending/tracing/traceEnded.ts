import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { Transactor } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import { beginSpan } from '@vouch/platform/tracing/spans';
import type { RequestRow } from '../../requests/gatewayRequest.ts';

/** Interval in ms in which ended messages are looked up. */
const lookMs = 1_000;
/** Pause in ms after a failure. */
const retryMs = 60_000;
/** Maximum number of messages in one statement. */
const messagesAtOnce = 500;

type TracedMessage = Pick<RequestRow, 'kind' | 'state' | 'reason_code' | 'batch_id' | 'verified_at' | 'batched_at' | 'sent_at' | 'mined_at'> & {
  traceparent: string;
  ended_at: Date;
  transaction_hash: Buffer | null;
};

/** Dependencies of `trace`. */
interface TraceParts {
  database: Transactor;
  deployment: string;
  log: Logger;
  /** Monotonic clock in ms. */
  elapsedMs(): number;
}

/** Sends the spans of ended messages between the steps of a relayer lane. */
export interface MessageTracer {
  /** Looks once a second. Never rejects: a failure is logged, and the rows are looked at again after a minute. */
  trace(parts: TraceParts, signal: AbortSignal): Promise<void>;
}

/**
 * Creates the tracer of one relayer lane. A message has one span, from its acceptance to its end, below the span of its request. The span is made from the row
 * after the end, because a message outlives processes: the one that accepted it, and those that sent it.
 */
export function createMessageTracer(tracer: Tracer): MessageTracer {
  let lookAtMs = -Infinity;
  return {
    async trace({ database, deployment, log, elapsedMs }, signal) {
      if (elapsedMs() < lookAtMs) return;
      lookAtMs = elapsedMs() + lookMs;
      try {
        const ended = await takeEnded(database, deployment);
        for (const message of ended) sendSpan(tracer, message);
        if (ended.length === messagesAtOnce) lookAtMs = -Infinity;
      } catch (error) {
        // The lane must continue to send without traces.
        if (!signal.aborted) log.warn({ reason: (error as Error).message }, 'the spans of ended messages could not be sent; this is tried again');
        lookAtMs = elapsedMs() + retryMs;
      }
    },
  };
}

/**
 * Reads ended messages with a trace and removes the mark, so that each message has one span, whichever lane reads it. A crash after the commit loses the
 * spans. Removing the mark later would not save them: spans wait up to five seconds in memory for the next export, and a repeated span has another id.
 */
async function takeEnded(database: Transactor, deployment: string): Promise<TracedMessage[]> {
  const { rows } = await database.transaction((transaction) => transaction.query<TracedMessage>(
    `WITH taken AS (
       SELECT request_id, traceparent FROM gateway_requests
       WHERE deployment = $1 AND traceparent IS NOT NULL AND ended_at IS NOT NULL
       ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED),
     unmarked AS (
       UPDATE gateway_requests r SET traceparent = NULL FROM taken WHERE taken.request_id = r.request_id
       RETURNING taken.traceparent, kind, state, reason_code, batch_id, verified_at, batched_at, sent_at, mined_at, ended_at)
     SELECT unmarked.*, transaction_hash FROM unmarked LEFT JOIN gateway_batches USING (batch_id)`, [deployment, messagesAtOnce]));
  return rows;
}

/** The id of the message stays out: who knows it can read the record. */
function sendSpan(tracer: Tracer, message: TracedMessage): void {
  const { kind, state, reason_code: reason, batch_id: batch, transaction_hash: hash } = message;
  const span = beginSpan(tracer, `message ${kind}`, {
    kind: SpanKind.CONSUMER, parent: message.traceparent, startTime: message.verified_at,
    attributes: {
      'vouch.message.kind': kind, 'vouch.message.outcome': state,
      ...(batch === null ? {} : { 'vouch.batch.id': batch }),
      ...(hash === null ? {} : { 'vouch.transaction.hash': `0x${hash.toString('hex')}` }),
    },
  });
  for (const [name, at] of [['batched', message.batched_at], ['sent', message.sent_at], ['mined', message.mined_at]] as const) if (at !== null) span.addEvent(name, at);
  if (state !== 'confirmed') {
    if (reason !== null) span.setAttribute('error.type', reason);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(message.ended_at);
}
