import { SpanKind, SpanStatusCode, TraceFlags, type Span, type Tracer } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { beginSpan, traceparentOf } from '../tracing/spans.ts';
import { parseTraceparent } from '../tracing/traceparent.ts';
import { RequestLogger } from './requestLogger.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request; null if this process sends no traces. */
    span: Span | null;
  }
}

/**
 * Adds a span for each request, by the semantic conventions of OpenTelemetry for HTTP servers (https://opentelemetry.io/docs/specs/semconv/http/http-spans/).
 * The span continues the trace of the caller, and the log lines of the request name its trace. Probes and scrapes have no spans.
 * @param tracer null if this process sends no traces
 */
export function traceRequests(server: FastifyInstance, tracer: Tracer | null, untraced: ReadonlySet<string>): void {
  server.decorateRequest('span', null);
  if (tracer === null) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const { url: route } = request.routeOptions;
    if (route !== undefined && untraced.has(route)) return done();
    const { method, headers: { traceparent } } = request;
    request.span = beginSpan(tracer, route === undefined ? method : `${method} ${route}`, {
      kind: SpanKind.SERVER, parent: typeof traceparent === 'string' ? traceparent : null,
      attributes: { 'http.request.method': method, ...(route === undefined ? {} : { 'http.route': route }), 'vouch.request_id': request.id },
    });
    if (request.log instanceof RequestLogger) request.log.join(request.span.spanContext().traceId);
    done();
  });
  server.addHook('onResponse', (request, { statusCode }, done) => {
    endSpan(request, statusCode);
    done();
  });
}

function endSpan({ span, identity, problemCode }: FastifyRequest, statusCode: number): void {
  if (span === null) return;
  span.setAttribute('http.response.status_code', statusCode);
  if (identity !== null) span.setAttribute('vouch.organization_id', identity.organizationId);
  if (problemCode !== null) span.setAttribute('error.type', problemCode);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Returns the trace that work for a request continues: that of its span, or that of the caller where this process sends no traces. */
export function traceparentOfRequest({ span, headers: { traceparent } }: FastifyRequest): string | null {
  if (span !== null) return traceparentOf(span);
  return typeof traceparent === 'string' && parseTraceparent(traceparent) !== null ? traceparent : null;
}

/** Returns the trace that work for a request continues in this process; null if the process sends no traces, or not this one (sampling). */
export function sampledTraceparentOfRequest({ span }: FastifyRequest): string | null {
  return span?.isRecording() === true ? traceparentOf(span) : null;
}

/** Returns the id of the trace to which a request belongs, or null. */
export function traceIdOfRequest({ span, headers: { traceparent } }: FastifyRequest): string | null {
  return span?.spanContext().traceId ?? parseTraceparent(traceparent)?.traceId ?? null;
}

/** Returns the id of the trace that this process records for a request, also after the end of its span, or null. */
export function recordedTraceOfRequest({ span }: FastifyRequest): string | null {
  const context = span?.spanContext();
  return context !== undefined && (context.traceFlags & TraceFlags.SAMPLED) !== 0 ? context.traceId : null;
}
