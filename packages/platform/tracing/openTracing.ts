import { diag, DiagLogLevel, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { traceUrl } from './traceUrl.ts';

export interface Tracing {
  tracer: Tracer;
  /** Sends the spans that wait, for at most five seconds. */
  close(): Promise<void>;
}

interface TracingOptions {
  /** Base URL of an OpenTelemetry collector; spans are posted to its path /v1/traces. */
  endpoint: string;
  version: string;
  log: Logger;
  system: Pick<SystemInterfaces, 'elapsedMs' | 'timers'>;
}

/** Interval in ms in which an unreachable collector is logged once. */
const tellEveryMs = 60_000;
const closeMs = 5_000;

/**
 * Begins to send traces by OTLP over HTTP. A collector that is away or slow delays nothing: spans beyond the queue of the SDK are dropped, and a warning once a minute says why.
 * The SDK reads the other variables of OpenTelemetry itself: OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_BSP_*. Callers import this module only where traces are sent, because the SDK takes 0.12 s to load.
 */
export function openTracing({ endpoint, version, log, system }: TracingOptions): Tracing {
  let toldMs = Number.NEGATIVE_INFINITY;
  const tell = (what: string): void => {
    if (system.elapsedMs() - toldMs < tellEveryMs) return;
    toldMs = system.elapsedMs();
    log.warn({ endpoint: new URL(endpoint).origin, reason: reasonOf(what) }, 'traces could not be sent');
  };
  const silent = (): void => {};
  diag.setLogger({ error: tell, warn: tell, info: silent, debug: silent, verbose: silent }, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'vouch', 'service.version': version, 'process.pid': process.pid }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: traceUrl(endpoint) }))],
  });
  return {
    tracer: provider.getTracer('vouch', version),
    async close() {
      const ended = new AbortController();
      await Promise.race([provider.shutdown().catch((error: unknown) => tell(String(error))), system.timers.sleep(closeMs, ended.signal)]);
      ended.abort();
    },
  };
}

/** The message of the SDK, which prints an error as JSON. */
function reasonOf(what: string): string {
  try {
    const { message, name } = JSON.parse(what) as { message?: string; name?: string };
    return (message ?? name ?? what).slice(0, 300);
  } catch {
    return what.slice(0, 300);
  }
}
