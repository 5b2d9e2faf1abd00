import { Histogram, type Registry } from 'prom-client';

/** Upper bounds of the buckets, in seconds. */
const buckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/**
 * Adds the histogram of request durations. The label `route` is the template of the route, not the path, because the number of paths is unlimited.
 */
export function createRequestDurations(metrics: Registry): Histogram<'method' | 'route' | 'status'> {
  return new Histogram({
    name: 'vouch_http_request_duration_seconds',
    help: 'Seconds from the headers of a request to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [metrics],
  });
}
