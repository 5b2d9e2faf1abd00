import type { Finding } from '@vouch/platform/product/findings';
import { platformFindings } from '@vouch/platform/product/platformFindings';

/**
 * Sends an empty list of spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, with the headers of the spans.
 * @param endpoint base URL of the collector
 */
export async function checkTraces(endpoint: string): Promise<Finding> {
  // Only installations that send traces need the SDK, which takes 0.12 s to load.
  const { findCollectorFault } = await import('@vouch/platform/tracing/collectorFault');
  const { origin } = new URL(endpoint);
  const fault = await findCollectorFault(endpoint);
  return fault === null ? { status: 'ok', detail: `${origin} takes traces` } : platformFindings.found('traces-refused', `${origin} does not take traces: ${fault}`);
}
