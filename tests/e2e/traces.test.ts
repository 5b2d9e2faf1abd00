import { expect, it, vi } from 'vitest';
import { everybodyWith } from './harness/catalogue.ts';
import { spansOf, startCollector, type ExportedSpan } from './harness/collector.ts';
import { startReceiver, type Receiver } from './harness/receiver.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

const caller = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const traceparent = `00-${caller.trace}-${caller.span}-01`;

/** Trains a model by a request that belongs to a trace, and waits for the callback. @returns the header `traceparent` of the callback */
async function trainInTrace({ client, url, key }: RunningVouch, receiver: Receiver): Promise<string | undefined> {
  await client.upload([everybodyWith(['u1', 'u2', 'u3'], ['a', 'b'])], ['few']);
  const before = receiver.received.length;
  const { status } = await fetch(`${url}/v1/recommender/train`, {
    method: 'POST', headers: { apikey: key, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ model_id: 'traced', callback_url: `${receiver.url}/done` }),
  });
  expect(status).toBe(202);
  const call = await vi.waitUntil(() => receiver.received.slice(before).find(({ path }) => path === '/done'), { timeout: 120_000, interval: 100 });
  return call.headers['traceparent'] as string | undefined;
}

it('a trace leads from the request through the job, its stages and processes to the callback, and the log names it', async () => {
  const collector = await startCollector();
  const vouch = await startVouch({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, VOUCH_ALLOW_PRIVATE_ADDRESSES: collector.address, VOUCH_LOG_LEVEL: 'info' } });
  try {
    const received = await trainInTrace(vouch, collector);
    await fetch(`${vouch.url}/healthz`);
    const named = (name: string): ExportedSpan[] => spansOf(collector).filter((span) => span.name === name);
    await vi.waitUntil(() => named('callback model.training.completed').length > 0, { timeout: 30_000, interval: 100 });
    const [request, job, callback] = ['POST /v1/recommender/train', 'job recommender.train', 'callback model.training.completed'].map((name) => named(name)[0]) as [ExportedSpan, ExportedSpan, ExportedSpan];
    expect([request, job, callback].map((span) => [span.traceId, span.parentSpanId])).toEqual([[caller.trace, caller.span], [caller.trace, request.spanId], [caller.trace, job.spanId]]);
    expect(received).toBe(`00-${caller.trace}-${callback.spanId}-01`);
    const stages = spansOf(collector).filter(({ parentSpanId, name }) => parentSpanId === job.spanId && name.startsWith('stage '));
    expect(stages.map(({ name }) => name)).toEqual(expect.arrayContaining(['stage snapshot', 'stage neighbours']));
    expect(stages.flatMap(({ events }) => events.map(({ name }) => name))).toContain('process started');
    expect(job.attributes).toContainEqual({ key: 'vouch.job.outcome', value: { stringValue: 'completed' } });
    expect(request.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 202 } });
    const metrics = await fetch(`${vouch.url}/metrics`, { headers: { accept: 'application/openmetrics-text;version=1.0.0' } });
    expect(metrics.headers.get('content-type')).toContain('application/openmetrics-text; version=1.0.0');
    expect((await metrics.text()).split('\n').filter((line) => line.includes('_bucket{') && line.includes('"/v1/recommender/train"') && line.includes(`# {trace_id="${caller.trace}"}`))).toHaveLength(1);
    // Another request has a trace of its own.
    expect(named('POST /v1/recommender/data_batch').map(({ traceId }) => traceId === caller.trace)).toEqual([false]);
    expect(spansOf(collector).filter(({ name }) => name.includes('healthz'))).toEqual([]);
    expect(collector.received.filter(({ path }) => path === '/v1/traces').some(({ body }) => body.includes(vouch.key))).toBe(false);
    const lines = (await vouch.log()).split('\n').filter((line) => line.includes(caller.trace)).join('\n');
    for (const part of ['"route":"/v1/recommender/train"', '"msg":"webhook delivered"']) expect(lines).toContain(part);
    const upload = named('POST /v1/recommender/data_batch')[0];
    expect((await vouch.log()).split('\n').find((line) => line.includes('"route":"/v1/recommender/data_batch"'))).toContain(`"trace_id":"${upload?.traceId}"`);
  } finally {
    await vouch.stop();
    await collector.close();
  }
});

it('without a collector, the callback continues the trace of the request', async () => {
  const receiver = await startReceiver();
  const vouch = await startVouch({ environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address } });
  try {
    expect(await trainInTrace(vouch, receiver)).toBe(traceparent);
  } finally {
    await vouch.stop();
    await receiver.close();
  }
});

it('a collector that refuses or is away delays nothing, and the log says so once', async () => {
  const receiver = await startReceiver();
  const away = await startReceiver();
  await away.close();
  const vouch = await startVouch({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: away.url, OTEL_BSP_SCHEDULE_DELAY: '100', VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address } });
  try {
    await trainInTrace(vouch, receiver);
    const told = async (): Promise<string[]> => (await vouch.log()).split('\n').filter((line) => line.includes('traces could not be sent'));
    await vi.waitUntil(async () => (await told()).length > 0, { timeout: 60_000, interval: 200 });
    expect((await told()).length).toBe(1);
    expect((await told())[0]).toContain('ECONNREFUSED');
  } finally {
    await vouch.stop();
    await receiver.close();
  }
});
