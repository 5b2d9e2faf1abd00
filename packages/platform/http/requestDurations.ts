import { Histogram, type Registry } from 'prom-client';

/** Upper bounds of the buckets, in seconds. */
const buckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/**
 * Adds the histogram of request durations. The label `route` is the template of the route, not the path, because the number of paths is unlimited. Each
 * bucket keeps the labels of the last request with `exemplarLabels`, which `formatOpenMetrics` shows.
 */
export function createRequestDurations(metrics: Registry): Histogram<'method' | 'route' | 'status' | 'trace_id'> {
  const durations = new Histogram<'method' | 'route' | 'status' | 'trace_id'>({
    name: 'vouch_http_request_duration_seconds',
    help: 'Seconds from the headers of a request to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    enableExemplars: true,
    // The constructor refuses exemplars beside a registry of the text format, which leaves them out.
    registers: [],
  });
  metrics.registerMetric(durations);
  return durations;
}
