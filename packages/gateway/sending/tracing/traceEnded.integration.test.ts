import { SpanStatusCode } from '@opentelemetry/api';
import { createLogger } from '@vouch/platform/log/logger';
import { createRecordedTracer } from '@vouch/platform/testing/recordedTracer';
import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertRequests, reopenRequest, type NewRequest } from '../../requests/requestStore.ts';
import { openGatewayDatabase, shareDatabases } from '../../testing/sharedDatabase.ts';
import { createMessageTracer } from './traceEnded.ts';

shareDatabases();

const deployment = '31337:0xservice:0123456789abcdef';
const at = new Date('2026-03-02T09:20:00.000Z');
const ended = new Date('2026-03-02T09:20:05.000Z');
const log = createLogger('silent');
const signal = new AbortController().signal;
let database: TestDatabase;
beforeEach(async () => {
  database = await openGatewayDatabase();
});
afterEach(() => database.close());

const traceOf = (digest: number): string => digest.toString(16).padStart(32, '0');

function message(digest: number, changes: Partial<NewRequest> = {}): NewRequest {
  return {
    requestId: `gw_${digest}`, operation: { kind: 'exit', expiredAt: 1n }, digest: Buffer.from(traceOf(digest).repeat(2), 'hex'), signer: Buffer.alloc(20, 1),
    signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}` }, client: { origin: null, user_agent: null, app_id: null, dialect: 'field' },
    deadline: at, receivedAt: at, verifiedAt: at, verifiedBlock: 1, unchanged: null, traceparent: `00-${traceOf(digest)}-00f067aa0ba902b7-01`, ...changes,
  };
}

it('sends one span per ended message with a trace, however many lanes look, and a span per time that the message was open', async () => {
  const numbers = Array.from({ length: 600 }, (_, index) => index + 1);
  await insertRequests(database, deployment, [...numbers.map((digest) => message(digest)), message(1_000, { traceparent: null }), message(1_001)]);
  await database.query(`UPDATE gateway_requests SET state = 'expired', reason_code = 'deadline-passed', ended_at = $1 WHERE request_id <> 'gw_1001'`, [ended]);
  const { tracer, spans } = createRecordedTracer();
  let now = 0;
  const parts = { database, deployment, log, elapsedMs: () => now };
  const lanes = [createMessageTracer(tracer), createMessageTracer(tracer)];
  for (; now < 4_000; now += 1_000) await Promise.all(lanes.map((lane) => lane.trace(parts, signal)));
  expect(spans().map((span) => span.spanContext().traceId).toSorted()).toEqual(numbers.map(traceOf));
  expect(spans()[0]).toMatchObject({
    name: 'message exit', status: { code: SpanStatusCode.ERROR }, events: [],
    attributes: { 'vouch.message.kind': 'exit', 'vouch.message.outcome': 'expired', 'error.type': 'deadline-passed' },
    startTime: [at.getTime() / 1000, 0], endTime: [ended.getTime() / 1000, 0],
  });
  await reopenRequest(database, deployment, message(1_000, { verifiedAt: ended }));
  await lanes[0]!.trace(parts, signal);
  expect(spans()).toHaveLength(600);
  await database.query(`UPDATE gateway_requests SET state = 'failed', reason_code = 'contract-refused', ended_at = $1 WHERE request_id = 'gw_1000'`, [ended]);
  now += 1_000;
  await lanes[0]!.trace(parts, signal);
  expect(spans()[600]).toMatchObject({ attributes: { 'error.type': 'contract-refused' }, parentSpanContext: { traceId: traceOf(1_000) } });
});

it('leaves the lane alone if the rows cannot be read, and looks again after a minute', async () => {
  const { tracer, spans } = createRecordedTracer();
  let now = 0;
  await insertRequests(database, deployment, [message(1)]);
  await database.query(`UPDATE gateway_requests SET state = 'expired', ended_at = $1`, [ended]);
  const lane = createMessageTracer(tracer);
  const broken = { ...database, transaction: () => Promise.reject(new Error('the connection is closed')) };
  await lane.trace({ database: broken, deployment, log, elapsedMs: () => now }, signal);
  for (const [ms, sent] of [[59_000, 0], [60_000, 1]] as const) {
    now = ms;
    await lane.trace({ database, deployment, log, elapsedMs: () => now }, signal);
    expect(spans()).toHaveLength(sent);
  }
});
