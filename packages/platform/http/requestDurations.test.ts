import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createRequestDurations } from './requestDurations.ts';

it('counts requests by method, route and status, in buckets that hold the smaller ones too', async () => {
  const metrics = new Registry();
  const durations = createRequestDurations(metrics);
  durations.observe({ method: 'GET', route: '/v1/items/:id', status: 200 }, 0.001);
  durations.observe({ method: 'GET', route: '/v1/items/:id', status: 200 }, 0.02);
  durations.observe({ method: 'GET', route: '/v1/items/:id', status: 200 }, 31);
  durations.observe({ method: 'GET', route: '/v1/items/:id', status: 404 }, 0.5);
  durations.observe({ method: 'POST', route: '/v1/items/:id', status: 200 }, 0.5);
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
