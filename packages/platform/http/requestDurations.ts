import { Histogram, type Registry } from 'prom-client';

/** Upper bounds of the buckets, in seconds. */
const buckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/** Labels of an answer. `route` is the template of the route, not the path, because the number of paths is unlimited. */
export interface AnswerLabels {
  method: string;
  route: string;
  status: number;
}

/**
 * Adds the histogram of request durations.
 * @param exemplars whether each bucket keeps the trace of its last request as an exemplar
 * @returns adds a request; `traceId` is the trace that the process records for it, or null
 */
export function createRequestDurations(metrics: Registry, exemplars = false): (labels: AnswerLabels, seconds: number, traceId: string | null) => void {
  const durations = new Histogram<'method' | 'route' | 'status' | 'trace_id'>({
    name: 'vouch_http_request_duration_seconds',
    help: 'Seconds from the headers of a request to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    // Registered below, because the constructor refuses exemplars beside a registry of the text format, which leaves them out.
    registers: [],
    enableExemplars: exemplars,
  });
  metrics.registerMetric(durations);
  if (!exemplars) return ({ method, route, status }, seconds) => durations.observe({ method, route, status }, seconds);
  return ({ method, route, status }, value, traceId) =>
    durations.observe({ labels: { method, route, status }, value, exemplarLabels: traceId === null ? {} : { trace_id: traceId } });
}
