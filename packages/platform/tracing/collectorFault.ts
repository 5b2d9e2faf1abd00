import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { traceUrl } from './traceUrl.ts';

const timeoutMillis = 5_000;

/**
 * Sends an empty list of spans to a collector, as `openTracing` sends spans.
 * @param endpoint base URL of the collector
 * @returns why the collector does not take traces, or null
 */
export async function findCollectorFault(endpoint: string): Promise<string | null> {
  const exporter = new OTLPTraceExporter({ url: traceUrl(endpoint), timeoutMillis });
  const { error } = await new Promise<{ error?: Error }>((resolve) => { exporter.export([], resolve); });
  await exporter.shutdown();
  return error?.message ?? null;
}
