import { startReceiver, type Receiver } from './receiver.ts';

/** A span as OTLP over HTTP encodes it in JSON. */
export interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  events: { name: string; timeUnixNano: string }[];
}

interface Export {
  resourceSpans: { scopeSpans: { spans: ExportedSpan[] }[] }[];
}

/** Starts a receiver that takes traces as an OpenTelemetry collector does. */
export function startCollector(): Promise<Receiver> {
  return startReceiver({ '/v1/traces': (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}') });
}

/** Returns the spans that a collector received. */
export const spansOf = (collector: Receiver): ExportedSpan[] => collector.received.filter(({ path }) => path === '/v1/traces')
  .flatMap(({ body }) => (JSON.parse(body) as Export).resourceSpans).flatMap(({ scopeSpans }) => scopeSpans).flatMap(({ spans }) => spans);
