import { Registry, type Metric, type OpenMetricsContentType } from 'prom-client';

/** Content type of `formatOpenMetrics`. */
export const openMetricsType = Registry.OPENMETRICS_CONTENT_TYPE;

/**
 * Formats metrics as OpenMetrics 1.0, which has exemplars
 * (https://prometheus.io/docs/specs/om/open_metrics_spec/). A registry of prom-client has one format for its lifetime, and formatting as OpenMetrics
 * takes `_total` from the names of its counters, so each metric is formatted through a copy that inherits everything but its name.
 */
export async function formatOpenMetrics(metrics: Registry): Promise<string> {
  const formatted = new Registry<OpenMetricsContentType>();
  formatted.setContentType(openMetricsType);
  for (const metric of metrics.getMetricsAsArray()) formatted.registerMetric(Object.create(metric) as Metric);
  return formatted.metrics();
}
