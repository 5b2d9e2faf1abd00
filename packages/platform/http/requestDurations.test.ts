import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { formatOpenMetrics } from './formatOpenMetrics.ts';
import { createRequestDurations } from './requestDurations.ts';

it('counts requests by method, route and status, in buckets that hold the smaller ones too', async () => {
  const metrics = new Registry();
  const durations = createRequestDurations(metrics);
  durations.observe({ labels: { method: 'GET', route: '/v1/items/:id', status: 200 }, value: 0.001 });
  durations.observe({ labels: { method: 'GET', route: '/v1/items/:id', status: 200 }, value: 0.02 });
  durations.observe({ labels: { method: 'GET', route: '/v1/items/:id', status: 200 }, value: 31 });
  durations.observe({ labels: { method: 'GET', route: '/v1/items/:id', status: 404 }, value: 0.5 });
  durations.observe({ labels: { method: 'POST', route: '/v1/items/:id', status: 200 }, value: 0.5 });
  const lines = (await metrics.metrics()).trim().split('\n');
  expect(lines.slice(0, 2)).toEqual([
    '# HELP vouch_http_request_duration_seconds Seconds from the headers of a request to the end of the answer.',
    '# TYPE vouch_http_request_duration_seconds histogram',
  ]);
  const found = lines.filter((line) => line.includes('status="200"') && line.includes('GET')).map((line) => [/le="([^"]+)"/.exec(line)?.[1], Number(line.split(' ')[1])]);
  expect(found).toEqual([
    ['0.001', 1], ['0.003', 1], ['0.01', 1], ['0.03', 2], ['0.1', 2], ['0.3', 2], ['1', 2], ['3', 2], ['10', 2], ['30', 2], ['+Inf', 3],
    [undefined, 31.021], [undefined, 3],
  ]);
  expect(lines.filter((line) => line.includes('_count{')).map((line) => line.split('_count')[1])).toEqual([
    '{method="GET",route="/v1/items/:id",status="200"} 3',
    '{method="GET",route="/v1/items/:id",status="404"} 1',
    '{method="POST",route="/v1/items/:id",status="200"} 1',
  ]);
});

it('each bucket names the trace of its last request in OpenMetrics, and the text format stays as it is', async () => {
  const metrics = new Registry();
  const durations = createRequestDurations(metrics);
  new Counter({ name: 'vouch_things_total', help: 'Things.', registers: [metrics] }).inc(2);
  const labels = { method: 'GET', route: '/', status: 200 };
  durations.observe({ labels, value: 0.002, exemplarLabels: { trace_id: 'a'.repeat(32) } });
  durations.observe({ labels, value: 0.002, exemplarLabels: {} });
  durations.observe({ labels, value: 0.5, exemplarLabels: {} });
  const text = await metrics.metrics();
  const lines = (await formatOpenMetrics(metrics)).split('\n');
  const buckets = lines.filter((line) => line.includes('_bucket'));
  expect(buckets.find((line) => line.includes('le="0.003"'))).toMatch(/ 2 # \{trace_id="a{32}"\} 0\.002 \d+(\.\d+)?$/);
  expect(buckets.filter((line) => line.includes('#'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('things'))).toEqual(['# HELP vouch_things Things.', '# TYPE vouch_things counter', 'vouch_things_total 2']);
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
  expect(await metrics.metrics()).toBe(text);
  expect(text).toContain('# TYPE vouch_things_total counter\nvouch_things_total 2');
  expect(text).not.toContain('trace_id');
});
